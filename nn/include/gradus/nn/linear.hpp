#pragma once

#include <gradus/nn/layer.hpp>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// y = x Wᵀ + b, over the last axis. Parameters: `weight` (outputs, inputs) and, unless turned off, `bias`
/// (outputs). Both are drawn from U(−1/√inputs, 1/√inputs), as in PyTorch.
class Linear : public Layer {
 public:
  Linear(std::int64_t inputs, std::int64_t outputs, bool with_bias = true);
  /// x (…, inputs) → (…, outputs). @throws Error if the last axis is not `inputs`.
  Tensor forward(const Tensor& x) const override;

  const Tensor weight;
  const Tensor bias;  // undefined when turned off
};

}  // namespace gradus::nn
#pragma GCC visibility pop
