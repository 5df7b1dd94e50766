#pragma once

#include <gradus/autograd/ops.hpp>

using namespace gradus;

// ∂L/∂x_i = Σ_j g_j y_j (δ_ij − y_i) = y_i (g_i − Σ_j g_j y_j)
inline Tensor softmax_backward(const Tensor& y, const Tensor& g) {
  return y * (g - sum(g * y, -1, true));  // (B, T) · ((B, T) − (B, 1))
}
