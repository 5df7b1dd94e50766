#pragma once

#include <gradus/autograd/tensor.hpp>

#include <vector>

/// What several tutorials measure of tensors, off the tape.
namespace tutorial {

/// The largest |a_i − b_i|: how far what was done by hand is from the library's.
double largest_difference(const gradus::Tensor& a, const gradus::Tensor& b);

/// √(Σ x_i²).
double norm(const gradus::Tensor& x);

/// The gradients of all parameters as one vector.
gradus::Tensor gradient_of(const std::vector<gradus::Tensor>& parameters);

/// The share of the targets (…), i64, at which the logits (…, V) are largest.
double accuracy(const gradus::Tensor& logits, const gradus::Tensor& targets);

/// The share of the targets, 1 or 0, at which the logits, of their shape, are above 0 or not.
double sign_accuracy(const gradus::Tensor& logits, const gradus::Tensor& targets);

}  // namespace tutorial
