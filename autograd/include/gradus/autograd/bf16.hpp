#pragma once

#include <cstdint>

#pragma GCC visibility push(default)
/// A bfloat16 (bf16) is the upper 16 bits of an f32. It has as many exponent bits as an f32, and 8 bits of
/// precision.
namespace gradus::bf16 {

/// The bits of a bf16.
using Bits = std::uint16_t;

/// Rounds to the nearest bf16. A tie goes to the bf16 whose last bit is 0. If |x| is above about 3.396e38,
/// the result is infinite, because the largest finite bf16 is 3.3895e38. NaN stays NaN.
inline Bits rounded(float x) {
  const auto bits = __builtin_bit_cast(std::uint32_t, x);
  const std::uint32_t nearest = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
  return static_cast<Bits>(x != x ? (bits >> 16) | 0x40 : nearest);
}

/// Converts a bf16 to f32 exactly.
inline float to_float(Bits x) { return __builtin_bit_cast(float, static_cast<std::uint32_t>(x) << 16); }

}  // namespace gradus::bf16
#pragma GCC visibility pop
