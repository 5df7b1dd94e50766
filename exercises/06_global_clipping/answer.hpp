#pragma once

#include <gradus/autograd/tensor.hpp>

#include <functional>
#include <vector>

#include "kit/check.hpp"

/// What exercise 06 asks for: scales all gradients by one factor, so that their norm is at most max_norm;
/// returns the norm that they had.
using ClipGradients = std::function<double(const std::vector<gradus::Tensor>& parameters, double max_norm)>;

exercise::Exercise global_clipping_exercise(const ClipGradients& answer);
