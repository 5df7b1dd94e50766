#include "inspect/drawn_elements.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace gradus {

std::vector<std::size_t> drawn_elements(std::int64_t n, std::int64_t elements, Generator generator) {
  std::vector<std::size_t> indices(static_cast<std::size_t>(n));
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  if (elements == 0 || elements >= n) return indices;
  const auto drawn = static_cast<std::size_t>(elements);
  for (std::size_t i = 0; i < drawn; ++i) {  // the first steps of a Fisher–Yates shuffle
    std::swap(indices[i], indices[i + generator.below(indices.size() - i)]);
  }
  indices.resize(drawn);
  std::ranges::sort(indices);
  return indices;
}

}  // namespace gradus
