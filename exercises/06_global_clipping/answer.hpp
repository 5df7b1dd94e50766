#pragma once

#include <gradus/autograd/tensor.hpp>

#include <functional>
#include <vector>

#include "kit/check.hpp"

/// The answer to exercise 06. Scales all gradients by one factor, so that their joint norm is at most
/// max_norm. Returns the norm before scaling.
using ClipGradients = std::function<double(const std::vector<gradus::Tensor>& parameters, double max_norm)>;

exercise::Exercise global_clipping_exercise(const ClipGradients& answer);
