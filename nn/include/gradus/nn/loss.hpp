#pragma once

#include <gradus/autograd/tensor.hpp>

namespace gradus::nn {

/// The mean, over the real tokens alone, of −ln p(target): logits (T, B, V), targets (T, B) i64, lengths (B)
/// i64. Token t of row b is real when t < lengths[b]; what stands beyond is not read.
/// @throws Error when the shapes do not fit, a length is outside [0, T], or a real target is outside [0, V).
Tensor masked_cross_entropy(const Tensor& logits, const Tensor& targets, const Tensor& lengths);

}  // namespace gradus::nn
