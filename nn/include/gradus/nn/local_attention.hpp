#pragma once

#include <gradus/nn/additive_attention.hpp>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// Local attention with a predicted position, "local-p" in Luong et al. 2015, section 3.2. The energies e_t
/// are those of additive attention. S is the length of a source, w is the half window (D in the paper), and
/// positions j begin at 0:
///
///     p_t  = S sigmoid(v_p · tanh(W_p s))                                       eq. 9
///     α_tj = softmax(e_t)_j exp(−(j − p_t)² / (2σ²)),   σ = w / 2               eq. 10
///
/// The softmax is over the positions j < S with |j − p_t| ≤ w; all other weights are 0. The Gaussian's
/// factors are not normalised, so the weights sum to at most 1. p_t gets its gradient from the Gaussian
/// only: the window's edge, where a weight jumps from 0 to e⁻² times its softmax, has no gradient.
///
/// Parameters: those of AdditiveAttention, `W_p.weight` (A, Q), `v_p` (A).
class LocalPredictiveAttention : public AdditiveAttention {
 public:
  /// @throws Error as AdditiveAttention does, or if `half_window` is below 1 or not finite. With a half
  /// window below 1, the window might contain no position.
  LocalPredictiveAttention(std::int64_t query_size, std::int64_t value_size, std::int64_t energy_size,
                           double half_window, double dropout = 0);
  Result attend(const Tensor& query, const Memory& memory, std::int64_t step,
                const Tensor& previous_weights) const override;
  /// p_t, (B), for queries (B, Q).
  Tensor position(const Tensor& query, const Memory& memory) const;

  Linear W_p;
  const Tensor v_p;

 private:
  double half_window_;
};

}  // namespace gradus::nn
#pragma GCC visibility pop
