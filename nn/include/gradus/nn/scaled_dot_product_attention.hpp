#pragma once

#include <gradus/nn/dot_product_attention.hpp>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// Scaled dot-product attention (Vaswani et al. 2017, eq. 1) for one query, with the values as keys:
///
///     e_tj = s_t · h_j / √D
///
/// If the elements of query and values are independent with mean 0 and variance 1, the energies also have
/// variance 1. So the softmax does not saturate as D grows. No parameters. Queries have the size of the
/// values, D.
class ScaledDotProductAttention : public DotProductAttention {
 public:
  using DotProductAttention::DotProductAttention;
  std::optional<AttentionScore> fused_score(std::int64_t value_size) const override;

 protected:
  /// @throws Error if the query is not (B, D).
  Tensor energies(const Tensor& query, const Memory& memory, std::int64_t step,
                  const Tensor& previous_weights) const override;
};

}  // namespace gradus::nn
#pragma GCC visibility pop
