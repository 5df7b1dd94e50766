#pragma once

#include <gradus/autograd/tensor.hpp>

namespace gradus::models {

// Concatenates neighbouring vectors in pairs: x (T, B, D) → (⌈T / 2⌉, B, 2D). x must be 0 beyond the lengths.
Tensor pairs(const Tensor& x);

}  // namespace gradus::models
