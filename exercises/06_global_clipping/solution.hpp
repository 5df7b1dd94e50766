#pragma once

#include <gradus/autograd/ops.hpp>

#include <cmath>
#include <vector>

using namespace gradus;

// Pascanu et al. (2013), algorithm 1, for all gradients together. Returns the norm before clipping.
inline double clip_gradients(const std::vector<Tensor>& parameters, double max_norm) {
  double squares = 0;
  for (const Tensor& p : parameters)
    if (const Tensor g = p.grad(); g.defined()) squares += sum(g * g).item();
  const double norm = std::sqrt(squares);

  if (!std::isfinite(norm) || norm <= max_norm) return norm;
  for (Tensor p : parameters)  // copies the handle, not the parameter
    if (const Tensor g = p.grad(); g.defined()) p.set_grad(g * (max_norm / norm));
  return norm;
}
