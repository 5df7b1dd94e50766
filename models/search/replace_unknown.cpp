#include <gradus/autograd/scope.hpp>
#include <gradus/models/replace_unknown.hpp>

#include <algorithm>

namespace gradus::models {

std::vector<std::string> replace_unknown(std::vector<std::string> target, const Tensor& weights,
                                         std::span<const std::string> source, std::string_view unknown) {
  if (!weights.defined()) {
    fail("replace_unknown", "the weights are undefined; use a decoder with attention");
  }
  if (weights.rank() != 2 || weights.size(0) < std::ssize(target) || weights.size(1) != std::ssize(source) ||
      source.empty()) {
    fail("replace_unknown", "the weights are ", weights.shape(), ", and must have a row for each of the ",
         target.size(), " target words and a column for each of the ", source.size(), " source words");
  }
  for (std::size_t t = 0; t < target.size(); ++t) {
    if (target[t] != unknown) continue;
    const Tensor row = weights[static_cast<std::int64_t>(t)];
    const std::span<const float> alpha = row.values<float>();
    target[t] = source[static_cast<std::size_t>(std::ranges::max_element(alpha) - alpha.begin())];
  }
  return target;
}

}  // namespace gradus::models
