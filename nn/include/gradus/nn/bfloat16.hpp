#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// The nearest bf16, the upper half of a float; of two equally near, the one with an even last bit. NaN stays
/// NaN, and a float beyond the largest bf16 becomes an infinity.
inline std::uint16_t to_bf16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if (std::isnan(x)) return static_cast<std::uint16_t>(bits >> 16U | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + (bits >> 16U & 1U)) >> 16U);
}

inline float from_bf16(std::uint16_t x) { return std::bit_cast<float>(std::uint32_t{x} << 16U); }

}  // namespace gradus::nn
#pragma GCC visibility pop
