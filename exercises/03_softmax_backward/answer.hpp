#pragma once

#include <gradus/autograd/tensor.hpp>

#include <functional>

#include "kit/check.hpp"

/// The answer to exercise 03: ∂L/∂x from y = softmax(x), over the last axis, and g = ∂L/∂y. All are (B, T).
using SoftmaxBackward = std::function<gradus::Tensor(const gradus::Tensor& y, const gradus::Tensor& g)>;

exercise::Exercise softmax_backward_exercise(const SoftmaxBackward& answer);
