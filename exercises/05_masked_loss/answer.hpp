#pragma once

#include <gradus/autograd/tensor.hpp>

#include <functional>

#include "kit/check.hpp"

/// The answer to exercise 05: the mean cross-entropy over the real tokens, a scalar in the logits' dtype.
/// logits: (T, B, V), targets: (T, B), lengths: (B).
using MaskedLoss = std::function<gradus::Tensor(const gradus::Tensor& logits, const gradus::Tensor& targets,
                                                const gradus::Tensor& lengths)>;

exercise::Exercise masked_loss_exercise(const MaskedLoss& answer);
