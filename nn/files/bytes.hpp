#pragma once

#include <gradus/autograd/tensor.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

/// The values of a tensor of any dtype as raw bytes.
namespace gradus::nn {

inline std::span<const std::byte> bytes_of(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case Dtype::f32:
      return std::as_bytes(tensor.values<float>());
    case Dtype::f64:
      return std::as_bytes(tensor.values<double>());
    default:
      return std::as_bytes(tensor.values<std::int64_t>());
  }
}

/// The same bytes, writable; see Tensor::mutable_values().
inline std::span<std::byte> mutable_bytes_of(Tensor tensor, const char* by) {
  switch (tensor.dtype()) {
    case Dtype::f32:
      return std::as_writable_bytes(tensor.mutable_values<float>(by));
    case Dtype::f64:
      return std::as_writable_bytes(tensor.mutable_values<double>(by));
    default:
      return std::as_writable_bytes(tensor.mutable_values<std::int64_t>(by));
  }
}

}  // namespace gradus::nn
