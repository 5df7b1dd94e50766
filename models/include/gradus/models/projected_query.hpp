#pragma once

#include <gradus/nn/attention.hpp>
#include <gradus/nn/linear.hpp>

#include <cstdint>
#include <memory>

#pragma GCC visibility push(default)
namespace gradus::models {

/// An attention that first projects the query to the values' size:
///
///     attend(W_a s, h)
///
/// With nn::DotProductAttention this is the score "general" of Luong et al. 2015, section 3.1: hᵀ W_a s.
/// Modules: `W_a` (D, H), `score`.
class ProjectedQuery : public nn::Attention {
 public:
  /// @throws Error for sizes below 1, and for a null attention.
  ProjectedQuery(std::int64_t query_size, std::int64_t value_size, std::unique_ptr<nn::Attention> attention);
  nn::Memory prepare(const Tensor& values, const Tensor& lengths) const override;
  Result attend(const Tensor& query, const nn::Memory& memory, std::int64_t step,
                const Tensor& previous_weights) const override;
  std::optional<AttentionScore> fused_score(std::int64_t value_size) const override;
  nn::Estimator estimator() const override { return score->estimator(); }

  nn::Linear W_a;
  const std::unique_ptr<nn::Attention> score;
};

}  // namespace gradus::models
#pragma GCC visibility pop
