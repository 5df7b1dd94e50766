#pragma once

#include <gradus/autograd/tensor.hpp>

#include <cstdint>

namespace gradus::nn {

/// U(−1/√n, 1/√n) for n inputs, drawn from default_generator(): what PyTorch gives its linear layers, and its
/// recurrent ones with n the size of the state.
Tensor uniform_fan_in(const Shape& shape, std::int64_t n);

}  // namespace gradus::nn
