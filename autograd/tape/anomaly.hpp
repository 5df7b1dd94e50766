#pragma once

#include <gradus/autograd/tape.hpp>
#include <gradus/autograd/tensor.hpp>

#include <cstddef>
#include <span>

namespace gradus {

struct Node;

/// @throws Error when the result of `operation` on `inputs` holds a NaN or an infinity.
void check_result(const char* operation, const Tensor& result, std::span<const TensorRef> inputs);

/// @throws Error when the gradient that the backward function of `node` has just added to, that of input i,
/// holds one.
void check_gradient(const Node& node, std::size_t i, const Tensor& gradient);

}  // namespace gradus
