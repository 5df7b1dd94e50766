#include "spirals.hpp"

#include <gradus/autograd/ops.hpp>

#include <cmath>
#include <numbers>
#include <vector>

namespace tutorial {

using gradus::tensor;

Points spirals(std::int64_t n, gradus::Generator& generator) {
  std::vector<float> x, t;
  for (std::int64_t i = 0; i < n; ++i) {
    const double along = generator.uniform(), turned = i % 2 == 0 ? 0 : std::numbers::pi;
    const double radius = 0.1 + 0.9 * along, angle = 2 * std::numbers::pi * along + turned;
    x.push_back(static_cast<float>(radius * std::cos(angle) + 0.03 * generator.normal()));
    x.push_back(static_cast<float>(radius * std::sin(angle) + 0.03 * generator.normal()));
    t.push_back(static_cast<float>(i % 2));
  }
  return {.x = tensor(x, {n, 2}), .t = tensor(t, {n, 1})};
}

Points batch_of(const Points& all, gradus::Generator& generator, std::int64_t batch_size) {
  const auto count = static_cast<std::uint64_t>(all.x.size(0));
  std::vector<std::int64_t> chosen;
  for (std::int64_t i = 0; i < batch_size; ++i)
    chosen.push_back(static_cast<std::int64_t>(generator.below(count)));
  const gradus::Tensor index = tensor(chosen);  // (B)
  return {.x = gradus::index_select(all.x, index),
          .t = gradus::index_select(all.t, index)};  // (B, 2), (B, 1)
}

}  // namespace tutorial
