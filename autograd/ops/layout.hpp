#pragma once

#include <gradus/autograd/tensor.hpp>

#include <cstdint>

namespace gradus {

/// Tensor::slice on an axis after the first. Copies, because the elements are not contiguous.
Tensor slice_inside(const Tensor& x, int axis, std::int64_t begin, std::int64_t size);

}  // namespace gradus
