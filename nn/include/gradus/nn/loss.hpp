#pragma once

#include <gradus/autograd/tensor.hpp>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// The mean of −ln p(target) over the real tokens. The shapes are logits (T, B, V), targets (T, B) i64, and
/// lengths (B) i64. Undefined lengths mean that all are T. Token t of row b is real if t < lengths[b]; other
/// tokens have no effect.
///
/// With label smoothing ε, the loss is the mean of −Σ_k q_k ln p(k), where q is 1 − ε + ε/V at the target and
/// ε/V elsewhere (Szegedy et al. 2016, section 7), as in PyTorch's cross_entropy. If the caller moves
/// `logits` (std::move), its storage may be overwritten, as in cross_entropy().
/// @throws Error if the shapes do not fit, a length is outside [0, T], a real target is outside [0, V), or ε
/// is outside [0, 1].
Tensor masked_cross_entropy(Tensor logits, const Tensor& targets, const Tensor& lengths,
                            double label_smoothing = 0);

}  // namespace gradus::nn
#pragma GCC visibility pop
