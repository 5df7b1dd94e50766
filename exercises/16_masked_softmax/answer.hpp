#pragma once

#include <gradus/autograd/tensor.hpp>

#include <functional>

#include "kit/check.hpp"

/// The answer to exercise 16: the softmax of each row of e (B, T) over its first lengths[b] positions.
using MaskedWeights = std::function<gradus::Tensor(const gradus::Tensor& e, const gradus::Tensor& lengths)>;

exercise::Exercise masked_softmax_exercise(const MaskedWeights& answer);
