#pragma once

#include <gradus/autograd/tensor.hpp>

#include <vector>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// Scales all gradients together, so that the norm over all their elements is at most `max_norm` (Pascanu et
/// al. 2013, algorithm 1). Returns the norm that they had. As in PyTorch, the factor is max_norm / (norm +
/// 1e-6) when that is below 1.
///
/// A norm that is not finite is returned, and the gradients are left as they are, for std::isfinite to notice
/// before a step is taken; PyTorch would make them NaN or 0.
/// @throws Error unless max_norm is above 0.
double clip_grad_norm(const std::vector<Tensor>& parameters, double max_norm);

/// Brings every element of the gradients into [−limit, limit]; NaN stays NaN.
/// @throws Error unless the limit is above 0.
void clip_grad_value(const std::vector<Tensor>& parameters, double limit);

}  // namespace gradus::nn
#pragma GCC visibility pop
