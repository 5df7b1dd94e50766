#pragma once

#include <gradus/autograd/tensor.hpp>

#pragma GCC visibility push(default)
/// Terms that a loss may add to say how attention should look. Both take the weights of all decoder steps,
/// stacked, α (T_y, B, T_x), and the lengths of the targets, (B), i64, or undefined when all are T_y; both
/// are means over the batch's real decoder steps (t < lengths[b]), scalars; 0 when there are none. What
/// stands beyond is not read, and has no gradient.
namespace gradus::nn {

/// The mean entropy of the weights, in nats:
///
///     H(α_t) = −Σ_j α_tj ln α_tj,     0 ln 0 = 0
///
/// `loss + lambda * attention_entropy(…)` sharpens attention for λ > 0, and smooths it for λ < 0. A weight of
/// exactly 0, as all beyond a source's end are, has a gradient of 0, where the formula's would be infinite.
/// @throws Error when the shapes do not fit, or a length is outside [0, T_y].
Tensor attention_entropy(const Tensor& weights, const Tensor& target_lengths);

/// The coverage loss (See et al. 2017, eq. 12 and 13), which charges for looking again where attention has
/// been:
///
///     covloss_t = Σ_j min(α_tj, c_tj),     c_t = Σ_{k<t} α_k     (eq. 10)
///
/// A step costs at most 1, and the first nothing. Where both are equal, each has half of the gradient.
/// @throws Error when the shapes do not fit, or a length is outside [0, T_y].
Tensor coverage_loss(const Tensor& weights, const Tensor& target_lengths);

}  // namespace gradus::nn
#pragma GCC visibility pop
