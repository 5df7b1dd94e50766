#include <gradus/data/uniform.hpp>

#include "check.hpp"

namespace gradus::data {

std::uint64_t draw_index(const UniformIndex& uniform, std::uint64_t n) {
  constexpr auto advice = "pass for instance [&](auto n) { return generator.below(n); }";
  if (!uniform) fail("draw_index: the UniformIndex is empty; ", advice);
  if (n == 0) fail("draw_index: n is 0, but must be at least 1; check that the range is not empty");
  const std::uint64_t index = uniform(n);
  if (index >= n) fail("draw_index: drew ", index, ", but must draw from 0 to ", n - 1, "; ", advice);
  return index;
}

}  // namespace gradus::data
