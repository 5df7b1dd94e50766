#pragma once

#include <gradus/nn/attention.hpp>
#include <gradus/nn/linear.hpp>

namespace gradus::nn {

/// Additive attention (Bahdanau et al. 2015, section 3.1 and appendix A.1.2):
///
///     e_tj = v_a · tanh(W_a s_{t−1} + U_a h_j)        the energy
///     α_tj = exp(e_tj) / Σ_k exp(e_tk)                 over the real positions alone
///     c_t  = Σ_j α_tj h_j                              the context (eq. 5)
///
/// Query, values and energy space may all have different sizes. Neither product has a bias, as in the paper.
/// Parameters: `W_a.weight` (A, Q), `U_a.weight` (A, D), `v_a` (A).
class AdditiveAttention : public Attention {
 public:
  AdditiveAttention(std::int64_t query_size, std::int64_t value_size, std::int64_t energy_size);
  /// Keys U_a h_j, (T, B, A). @throws Error when the values are not (T, B, D), or the lengths not (B).
  Memory prepare(const Tensor& values, const Tensor& lengths) const override;
  /// @throws Error when the query is not (B, Q).
  Result attend(const Tensor& query, const Memory& memory, std::int64_t step,
                const Tensor& previous_weights) const override;

  Linear W_a, U_a;
  const Tensor v_a;
};

}  // namespace gradus::nn
