#pragma once

#include <gradus/nn/attention.hpp>
#include <gradus/nn/linear.hpp>

#include <cstdint>
#include <memory>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// An attention that first projects the query to the values' size:
///
///     attend(W_a s, h)
///
/// With DotProductAttention this is the score "general" of Luong et al. 2015, section 3.1: hᵀ W_a s.
/// H is the size of the query, D that of the values. Modules: `W_a` (D, H), and `score`, the given attention.
class ProjectedQuery : public Attention {
 public:
  /// @throws Error for sizes below 1, and for a null attention.
  ProjectedQuery(std::int64_t query_size, std::int64_t value_size, std::unique_ptr<Attention> attention);
  Memory prepare(const Tensor& values, const Tensor& lengths) const override;
  Result attend(const Tensor& query, const Memory& memory, std::int64_t step,
                const Tensor& previous_weights) const override;
  std::optional<AttentionScore> fused_score(std::int64_t value_size) const override;
  Estimator estimator() const override { return score->estimator(); }

  Linear W_a;
  const std::unique_ptr<Attention> score;
};

}  // namespace gradus::nn
#pragma GCC visibility pop
