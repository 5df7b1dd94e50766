#pragma once

#include <gradus/nn/linear.hpp>
#include <gradus/nn/scored_attention.hpp>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// Additive attention (Bahdanau et al. 2015, section 3.1 and appendix A.1.2):
///
///     e_tj = v_a · tanh(W_a s_{t−1} + U_a h_j)
///
/// The sizes of query (Q), values (D) and energy space (A) are independent. W_a s and U_a h have no bias, as
/// in the paper and in d2l. Parameters: `W_a.weight` (A, Q), `U_a.weight` (A, D), `v_a` (A).
class AdditiveAttention : public ScoredAttention {
 public:
  AdditiveAttention(std::int64_t query_size, std::int64_t value_size, std::int64_t energy_size,
                    double dropout = 0);
  /// The keys are U_a h_j, (T, B, A). @throws Error as Attention::prepare() does, or if D is not
  /// `value_size`.
  Memory prepare(const Tensor& values, const Tensor& lengths) const override;
  std::optional<AttentionScore> fused_score(std::int64_t value_size) const override;

  Linear W_a, U_a;
  const Tensor v_a;

 protected:
  /// @throws Error if the query is not (B, Q).
  Tensor energies(const Tensor& query, const Memory& memory, std::int64_t step,
                  const Tensor& previous_weights) const override;
};

}  // namespace gradus::nn
#pragma GCC visibility pop
