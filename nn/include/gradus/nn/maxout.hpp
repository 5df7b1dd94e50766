#pragma once

#include <gradus/nn/layer.hpp>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// Maxout (Goodfellow et al. 2013, section 2). Each output is the maximum of `pieces` affine functions:
///
///     y_i = max_j (W x + b)_{i,j}
///
/// With two pieces and the input [s; E y; c], Maxout is the deep output of Bahdanau et al. 2015, A.2.2: t_i =
/// max{t̃_{2i−1}, t̃_{2i}}.
///
/// Parameters, initialised as in Linear: `weight` (outputs · pieces, inputs) and `bias` (outputs · pieces).
/// The pieces of one output are in adjacent rows.
class Maxout : public Layer {
 public:
  /// @throws Error unless `inputs`, `outputs` and `pieces` are at least 1.
  Maxout(std::int64_t inputs, std::int64_t outputs, std::int64_t pieces = 2);
  /// x (…, inputs) → (…, outputs). @throws Error if the last axis is not `inputs`.
  Tensor forward(const Tensor& x) const override;

  const Tensor weight, bias;

 private:
  std::int64_t pieces_;
};

}  // namespace gradus::nn
#pragma GCC visibility pop
