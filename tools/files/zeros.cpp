#include "files/zeros.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

namespace gradus::tools {

Zeros zeros_of(const models::Seq2Seq& model) {
  std::set<const float*> seen;                      // a tied matrix has several names
  std::vector<std::pair<double, double>> matrices;  // zeros and weights of each matrix
  double zeros = 0, weights = 0;
  for (const auto& [name, parameter] : model.named_parameters()) {
    if (parameter.rank() != 2 || !seen.insert(parameter.values<float>().data()).second) continue;
    matrices.emplace_back(std::ranges::count(parameter.values<float>(), 0.0F), parameter.numel());
    zeros += matrices.back().first;
    weights += matrices.back().second;
  }
  if (weights == 0) return {};
  const double fraction = zeros / weights;
  const auto has_fraction = [&](const std::pair<double, double>& matrix) {
    return std::abs(matrix.first - fraction * matrix.second) <= 1 + matrix.second / 100;
  };
  return {.fraction = fraction, .per_matrix = std::ranges::all_of(matrices, has_fraction)};
}

bool is_pruned(const SavedModel& saved) {
  return saved.settings.prune.sparsity > 0 || saved.checkpoint.metadata.contains(pruned_key);
}

}  // namespace gradus::tools
