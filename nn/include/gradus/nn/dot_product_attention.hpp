#pragma once

#include <gradus/nn/scored_attention.hpp>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// Dot-product attention, "dot" in Luong et al. 2015, section 3.1:
///
///     e_tj = s_t · h_j
///
/// No parameters. Queries have the size of the values, D. For the score "general", hᵀ W_a s, use this
/// attention in a ProjectedQuery.
class DotProductAttention : public ScoredAttention {
 public:
  using ScoredAttention::ScoredAttention;
  std::optional<AttentionScore> fused_score(std::int64_t value_size) const override;

 protected:
  /// @throws Error if the query is not (B, D).
  Tensor energies(const Tensor& query, const Memory& memory, std::int64_t step,
                  const Tensor& previous_weights) const override;
};

}  // namespace gradus::nn
#pragma GCC visibility pop
