#pragma once

#include <gradus/autograd/tensor.hpp>

#include <functional>

#include "kit/check.hpp"

/// The answer to exercise 16: the softmax of e (B, T) over the first `lengths` (B) positions of each row.
using MaskedWeights = std::function<gradus::Tensor(const gradus::Tensor& e, const gradus::Tensor& lengths)>;

exercise::Exercise masked_softmax_exercise(const MaskedWeights& answer);
