#pragma once

#include <gradus/nn/linear.hpp>
#include <gradus/nn/scored_attention.hpp>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// Additive attention (see AdditiveAttention) whose query and values share one matrix. A value consists of
/// D / Q parts of the query's size: the forward and the backward state of a bidirectional encoder, or a
/// single state.
///
///     h_j = [h_j^(1); …; h_j^(D/Q)]
///     e_tj = v_a · tanh(W_a s_{t−1} + Σ_d W_a h_j^(d))
///
/// This is AdditiveAttention with U_a = [W_a … W_a]. So all parts of a value are multiplied by the same
/// matrix. The gradient of W_a is the sum of the gradients from the query and from the values. Sizes: query
/// (Q), values (D, a multiple of Q), energy space (A). Parameters: `W_a.weight` (A, Q), `v_a` (A).
class SharedAdditiveAttention : public ScoredAttention {
 public:
  /// @throws Error if a size is below 1, if `value_size` is not a multiple of `query_size`, or if dropout is
  /// outside [0, 1).
  SharedAdditiveAttention(std::int64_t query_size, std::int64_t value_size, std::int64_t energy_size,
                          double dropout = 0);
  /// The keys are W_a Σ_d h_j^(d), (T, B, A). @throws Error as Attention::prepare() does, or if D is not
  /// `value_size`.
  Memory prepare(const Tensor& values, const Tensor& lengths) const override;
  std::optional<AttentionScore> fused_score(std::int64_t value_size) const override;

  Linear W_a;
  const Tensor v_a;

 protected:
  /// @throws Error if the query is not (B, Q).
  Tensor energies(const Tensor& query, const Memory& memory, std::int64_t step,
                  const Tensor& previous_weights) const override;

 private:
  std::int64_t parts_;
};

}  // namespace gradus::nn
#pragma GCC visibility pop
