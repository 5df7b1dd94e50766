#pragma once

#include <gradus/autograd/tensor.hpp>

#include <functional>

#include "kit/check.hpp"

/// The answer to exercise 03: ∂L/∂x for y = softmax(x) over the last axis, from y and g = ∂L/∂y; all (B, T).
using SoftmaxBackward = std::function<gradus::Tensor(const gradus::Tensor& y, const gradus::Tensor& g)>;

exercise::Exercise softmax_backward_exercise(const SoftmaxBackward& answer);
