#pragma once

#include <cstddef>
#include <cstdint>

#pragma GCC visibility push(default)
namespace gradus {

/// The element type of a tensor, chosen at run time: f32 for training, f64 for gradient checks, i64 for token
/// ids, lengths and masks (0 or 1).
enum class Dtype : std::uint8_t { f32, f64, i64 };

constexpr const char* name(Dtype dtype) {
  return dtype == Dtype::f32 ? "f32" : dtype == Dtype::f64 ? "f64" : "i64";
}

constexpr std::size_t bytes_per_element(Dtype dtype) { return dtype == Dtype::f32 ? 4 : 8; }

constexpr bool is_floating(Dtype dtype) { return dtype != Dtype::i64; }

/// The Dtype of a C++ type: float, double or std::int64_t.
template <class T>
inline constexpr Dtype dtype_of = [] { static_assert(sizeof(T) == 0, "no Dtype for this type"); }();
template <>
inline constexpr Dtype dtype_of<float> = Dtype::f32;
template <>
inline constexpr Dtype dtype_of<double> = Dtype::f64;
template <>
inline constexpr Dtype dtype_of<std::int64_t> = Dtype::i64;

}  // namespace gradus
#pragma GCC visibility pop
