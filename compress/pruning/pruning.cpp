#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/compress/pruning.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <span>

namespace gradus::compress {
namespace {

void check_fraction(const char* operation, double sparsity) {
  if (!(sparsity >= 0 && sparsity <= 1)) {
    fail(operation, "the sparsity must be in [0, 1], and is ", sparsity);
  }
}

std::size_t count_of(double sparsity, std::size_t n) {
  return static_cast<std::size_t>(std::llround(sparsity * static_cast<double>(n)));
}

// Computes masks[m], the M of the matrix weights[m], for all m. Of the weights of all these matrices, the
// fraction `sparsity` with the smallest magnitudes gets M_ij = 0, and the others get 1.
void mask_smallest(const std::vector<std::span<const float>>& weights,
                   const std::vector<std::span<float>>& masks, double sparsity) {
  std::vector<float> magnitudes;
  for (const std::span<const float> some : weights) {
    std::ranges::transform(some, std::back_inserter(magnitudes), [](float w) { return std::fabs(w); });
  }
  const std::size_t count = count_of(sparsity, magnitudes.size());
  for (const std::span<float> mask : masks) std::ranges::fill(mask, 1.0F);
  if (count == 0) return;
  const auto last = magnitudes.begin() + static_cast<std::ptrdiff_t>(count - 1);
  std::ranges::nth_element(magnitudes, last);
  const float threshold = *last;
  const auto below = std::count_if(magnitudes.begin(), last, [&](float w) { return w < threshold; });
  // Number of weights to prune among those whose magnitude is the threshold.
  std::size_t ties = count - static_cast<std::size_t>(below);
  for (std::size_t m = 0; m < weights.size(); ++m) {
    for (std::size_t i = 0; i < weights[m].size(); ++i) {
      const float magnitude = std::fabs(weights[m][i]);
      if (magnitude > threshold || (magnitude == threshold && ties == 0)) continue;
      if (magnitude == threshold) --ties;
      masks[m][i] = 0;
    }
  }
}

}  // namespace

Pruning::Pruning(nn::Module& model, PruningScope scope) : scope_(scope) {
  for (const auto& [name, parameter] : model.named_parameters()) {
    const auto same = [&p = parameter](const Matrix& other) { return other.weight.is(p); };
    if (parameter.rank() != 2 || parameter.dtype() != Dtype::f32) continue;
    if (std::ranges::any_of(matrices_, same)) continue;
    matrices_.push_back({name, parameter, ones(parameter.shape())});
  }
  for (Matrix& matrix : matrices_) {
    if (!matrix.weight.requires_grad()) continue;
    matrix.hook = matrix.weight.add_hook([mask = matrix.mask](const Tensor& gradient) {
      return gradient * mask.to(gradient.dtype());  // M ∘ g
    });
  }
}

Pruning::~Pruning() {
  for (Matrix& matrix : matrices_) {
    if (matrix.hook >= 0) matrix.weight.remove_hook(matrix.hook);
  }
}

void Pruning::prune(double sparsity) {
  check_fraction("prune", sparsity);
  std::vector<std::span<const float>> weights;
  for (const Matrix& matrix : matrices_) {
    weights.push_back(matrix.weight.values<float>());
    for (const float w : weights.back()) {
      if (!std::isfinite(w)) {
        fail("prune", "'", matrix.name, "' has the value ", w, "; use finite weights");
      }
    }
  }
  std::vector<std::span<float>> masks;
  for (Matrix& matrix : matrices_) masks.push_back(matrix.mask.mutable_values<float>("prune"));
  if (scope_ == PruningScope::global) {
    mask_smallest(weights, masks, sparsity);
  } else {
    for (std::size_t m = 0; m < weights.size(); ++m) mask_smallest({weights[m]}, {masks[m]}, sparsity);
  }
  hold();
}

void Pruning::hold() {
  for (Matrix& matrix : matrices_) {
    const auto mask = matrix.mask.values<float>();
    const auto weight = matrix.weight.mutable_values<float>("prune");
    std::ranges::transform(weight, mask, weight.begin(), [](float w, float m) { return m == 0 ? 0.0F : w; });
  }
}

double Pruning::sparsity() const {
  std::ptrdiff_t zeros = 0, all = 0;
  for (const Matrix& matrix : matrices_) {
    zeros += std::ranges::count(matrix.mask.values<float>(), 0.0F);
    all += matrix.mask.numel();
  }
  return all == 0 ? 0 : static_cast<double>(zeros) / static_cast<double>(all);
}

double GradualPruning::at(std::int64_t step) const {
  check_fraction("GradualPruning", sparsity);
  if (from < 0 || until <= from || every < 1) {
    fail("GradualPruning", "needs 0 <= from < until and every >= 1, and got from ", from, ", until ", until,
         " and every ", every);
  }
  if (step <= from) return 0;
  if (step >= until) return sparsity;
  const std::int64_t t = (step - from) / every * every;
  const double left = 1 - static_cast<double>(t) / static_cast<double>(until - from);
  return sparsity - sparsity * left * left * left;
}

}  // namespace gradus::compress
