#pragma once

#include <gradus/nn/attention.hpp>
#include <gradus/nn/dropout.hpp>
#include <gradus/nn/linear.hpp>

#pragma GCC visibility push(default)
namespace gradus::nn {

struct MonotonicOptions {
  /// Standard deviation, at least 0, of the noise that is added to the energies in training. The model learns
  /// to make the noise harmless by energies far from 0, that is, by stop probabilities near 0 or 1. Decoding
  /// rounds these probabilities to 0 or 1, and therefore agrees with training.
  double noise = 2;
  /// Initial values of g and r, the scale and the bias of the energies (equation 16, see MonotonicAttention).
  /// For long training, Raffel et al. use g = 1 / √A, r from −1 to −4, and a noise of 1. The default g is
  /// larger, so that the energies outgrow the noise within a few hundred updates. The default r is low, so
  /// that the walk stops less often, and reaches positions farther to the right in the first updates.
  double scale = 4, bias = -4;
  double dropout = 0;
};

/// Monotonic attention (Raffel et al. 2017) walks over the annotations from left to right, and never back. A
/// step begins at the annotation at which the previous step stopped. At annotation j, the walk stops with
/// probability p_tj, or moves on to annotation j + 1.
///
///     e_tj = g (v / ‖v‖) · tanh(W_a s_{t−1} + U_a h_j) + r                            eq. 16
///     p_tj = σ(e_tj + noise)                        in training
///     p_tj = 1 if e_tj > 0, else 0                  in eval mode
///     α_t  = monotonic_weights(p_t, α_{t−1})        the probabilities of stopping, over all walks
///
/// In eval mode there is only one walk: each α_tj is 0 or 1, and depends only on the annotations up to the
/// end of the walk. With a unidirectional encoder, a decoder can therefore write while the source is still
/// arriving. A walk that passes the last position stops nowhere, so a row of weights sums to less than 1 in
/// training, and to 1 or 0 in eval mode. At step 0, the walk begins at the first position.
///
/// Parameters: `W_a.weight` (A, Q), `U_a.weight` (A, D), `U_a.bias` (A), `v` (A), `g` and `r` (scalars).
class MonotonicAttention : public Attention {
 public:
  /// @throws Error for sizes below 1, noise that is negative or not finite, a scale that is 0 or not finite,
  /// and dropout outside [0, 1).
  MonotonicAttention(std::int64_t query_size, std::int64_t value_size, std::int64_t energy_size,
                     MonotonicOptions options = {});
  /// The keys are U_a h_j, plus the bias of U_a, (T, B, A). @throws Error as Attention::prepare() does, or if
  /// D is not `value_size`.
  Memory prepare(const Tensor& values, const Tensor& lengths) const override;
  /// @throws Error if the query is not (B, Q), or the previous weights are not (B, T).
  Result attend(const Tensor& query, const Memory& memory, std::int64_t step,
                const Tensor& previous_weights) const override;

  Linear W_a, U_a;
  const Tensor v, g, r;

 private:
  double noise_;
  Dropout dropout_;
};

/// The probability that a walk stops at j, given the previous step's weights (Raffel et al. 2017, eq. 8 and
/// 9):
///
///     q_j = (1 − p_{j−1}) q_{j−1} + α_{t−1,j},     q_{−1} = 0      the walk reaches j
///     α_tj = p_j q_j                                               and stops there
///
/// The paper's closed form (eq. 10) divides by Π (1 − p), which underflows. This recurrence only multiplies
/// and adds numbers in [0, 1]. It is computed by doubling (Hillis and Steele 1986), in ⌈log₂ T⌉ rounds over
/// whole rows. The tape's gradients are exact. If every p is 0 or 1, and α_{t−1} is 1 at one position and 0
/// elsewhere, the weights are those of one walk.
///
/// @param p        (B, T), in [0, 1]
/// @param previous α_{t−1}, (B, T), at least 0; each row sums to at most 1
/// @return α_t, (B, T) @throws Error if the shapes are not equal.
Tensor monotonic_weights(const Tensor& p, const Tensor& previous);

}  // namespace gradus::nn
#pragma GCC visibility pop
