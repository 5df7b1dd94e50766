#pragma once

#include <gradus/nn/layer.hpp>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// Layer normalisation over the last axis (Ba et al. 2016, eq. 4), as PyTorch's LayerNorm computes it:
///
///     y = (x − μ) / √(σ² + ε) ∘ weight + bias     with the mean μ and the variance σ² of each row
///
/// Parameters: `weight` (size), initially ones, and `bias` (size), initially zeros.
class LayerNorm : public Layer {
 public:
  explicit LayerNorm(std::int64_t size, double epsilon = 1e-5);
  /// x (…, size) → (…, size). @throws Error if the last axis is empty or does not have `size` elements.
  Tensor forward(const Tensor& x) const override;

  const Tensor weight, bias;

 private:
  double epsilon_;
};

}  // namespace gradus::nn
#pragma GCC visibility pop
