#pragma once

#include <gradus/autograd/tensor.hpp>

#include <vector>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// Scales all gradients by one factor, min(1, max_norm / (norm + 1e-6)) as in PyTorch. The norm over all
/// elements of all gradients is then at most `max_norm` (Pascanu et al. 2013, algorithm 1). Returns the norm
/// before scaling.
///
/// If the norm is not finite, the gradients stay unchanged (PyTorch sets them to NaN or 0). Check the
/// returned norm with std::isfinite before the optimiser's step.
/// @throws Error unless max_norm is above 0.
double clip_grad_norm(const std::vector<Tensor>& parameters, double max_norm);

/// Clamps every element of the gradients to [−limit, limit]; NaN stays NaN.
/// @throws Error unless the limit is above 0.
void clip_grad_value(const std::vector<Tensor>& parameters, double limit);

}  // namespace gradus::nn
#pragma GCC visibility pop
