#pragma once

#include <gradus/autograd/tensor.hpp>

#include <vector>

/// Measurements of tensors, computed without recording on the tape.
namespace tutorial {

/// The largest |a_i − b_i|.
double largest_difference(const gradus::Tensor& a, const gradus::Tensor& b);

/// √(Σ x_i²).
double norm(const gradus::Tensor& x);

/// The gradients of all parameters, flattened into one vector.
gradus::Tensor gradient_of(const std::vector<gradus::Tensor>& parameters);

/// The fraction of rows of logits (…, V) whose largest logit is at the target (…), i64.
double accuracy(const gradus::Tensor& logits, const gradus::Tensor& targets);

/// The fraction of targets (1 or 0) that equal (logit > 0). Logits and targets have the same shape.
double sign_accuracy(const gradus::Tensor& logits, const gradus::Tensor& targets);

}  // namespace tutorial
