#pragma once

#include <gradus/autograd/tensor.hpp>

#pragma GCC visibility push(default)
/// Loss terms that regularise attention. `weights` are the stacked weights α of all decoder steps, (T_y, B,
/// T_x). `target_lengths` are (B), i64, or undefined if all are T_y. Both functions return a scalar: the mean
/// over the batch's real decoder steps (t < target_lengths[b]), or 0 if there are no real steps. Steps beyond
/// a target's length have no effect, and their weights get gradient 0.
namespace gradus::nn {

/// The mean entropy of the weights, in nats:
///
///     H(α_t) = −Σ_j α_tj ln α_tj,     0 ln 0 = 0
///
/// `loss + lambda * attention_entropy(…)` sharpens attention for λ > 0 and smooths it for λ < 0. For a weight
/// of exactly 0, such as one beyond a source's end, the formula's gradient is infinite; attention_entropy()
/// gives this weight the gradient 0.
/// @throws Error if the shapes do not fit, or a length is outside [0, T_y].
Tensor attention_entropy(const Tensor& weights, const Tensor& target_lengths);

/// The coverage loss (See et al. 2017, eq. 12 and 13). It penalises attending to the same position twice:
///
///     covloss_t = Σ_j min(α_tj, c_tj),     c_t = Σ_{k<t} α_k     (eq. 10)
///
/// The loss of a step is at most 1; the loss of the first step is 0. If α_tj = c_tj, each of the two gets
/// half of the gradient.
/// @throws Error if the shapes do not fit, or a length is outside [0, T_y].
Tensor coverage_loss(const Tensor& weights, const Tensor& target_lengths);

}  // namespace gradus::nn
#pragma GCC visibility pop
