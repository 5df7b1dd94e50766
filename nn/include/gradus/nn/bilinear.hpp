#pragma once

#include <gradus/nn/module.hpp>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// y_k = x₁ᵀ A_k x₂ + b_k, over the last axes. Parameters: `weight` A (outputs, inputs₁, inputs₂) and, unless
/// turned off, `bias` (outputs). Both are drawn from U(−1/√inputs₁, 1/√inputs₁), as in PyTorch.
class Bilinear : public Module {
 public:
  Bilinear(std::int64_t inputs_1, std::int64_t inputs_2, std::int64_t outputs, bool with_bias = true);
  /// x_1 (…, inputs₁), x_2 (…, inputs₂) → (…, outputs), with equal leading axes.
  /// @throws Error if the sizes do not fit.
  Tensor forward(const Tensor& x_1, const Tensor& x_2) const;

  const Tensor weight;
  const Tensor bias;  // undefined when turned off
};

}  // namespace gradus::nn
#pragma GCC visibility pop
