#pragma once

#include <gradus/autograd/tape.hpp>
#include <gradus/autograd/tensor.hpp>

#include <cstddef>
#include <span>

namespace gradus {

struct Node;

/// @throws Error if the result of `operation` on `inputs` contains a NaN or an infinity.
void check_result(const char* operation, const Tensor& result, std::span<const TensorRef> inputs);

/// Checks the gradient of input i of `node`. Call it after the backward function of `node`. @throws Error if
/// `gradient` contains a NaN or an infinity.
void check_gradient(const Node& node, std::size_t i, const Tensor& gradient);

}  // namespace gradus
