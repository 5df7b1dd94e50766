#pragma once

#include <cmath>
#include <cstdint>

#include "clones.hpp"

/// Dropout (ops.hpp) as a pure function of a key and an element's position. So any thread can compute any
/// part of a mask, and backward recomputes the mask instead of storing it.
namespace gradus::kernels {

/// The four words c0 … c3 of Philox4x32-10, stored in two numbers, c0·2³² + c1 and c2·2³² + c3. All
/// operations then use 64 bits, so a loop over counters vectorises.
struct PhiloxBlock {
  std::uint64_t a, b;
};
inline PhiloxBlock philox(std::uint64_t key, PhiloxBlock c) {
  constexpr std::uint64_t high = ~std::uint64_t{0} << 32;
  std::uint64_t k0 = key << 32, k1 = key & high;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53} * (c.a >> 32);
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57} * (c.b >> 32);
    c = {p1 ^ (c.a << 32) ^ k0, p0 ^ (c.b << 32) ^ k1};
    k0 += std::uint64_t{0x9E3779B9} << 32;
    k1 += std::uint64_t{0xBB67AE85} << 32;
  }
  return c;
}

/// A mask for rows of any width. An element is kept with probability 1 − p, rounded to a multiple of 2⁻³¹.
struct DropoutMask {
  std::uint64_t key;
  std::uint32_t kept_below;  // an element is kept if its 31 random bits are below this number
  double scale;              // 1 / (1 − p)

  DropoutMask(double p, std::uint64_t drawn)
      : key(drawn),
        kept_below(static_cast<std::uint32_t>(std::lround((1 - p) * 0x1p31))),
        scale(1 / (1 - p)) {}
};

/// For i < n, y_i ← x_i · scale if element i of the mask's row `row` is kept, else 0. y may alias x.
template <class T>
GRADUS_CLONES void dropout_row(const DropoutMask& mask, std::int64_t row, std::int64_t n, const T* x, T* y) {
  constexpr int lanes = 16, words = 4 * lanes;  // fewer lanes do not hide the latency of the multiplications
  const auto place = static_cast<std::uint64_t>(row);
  const T scale = static_cast<T>(mask.scale);
  for (std::int64_t first = 0; first < n; first += words) {
    std::uint64_t pairs[2 * lanes];
#pragma omp simd
    for (int lane = 0; lane < lanes; ++lane) {
      const auto counter = static_cast<std::uint64_t>(first / 4 + lane);
      const PhiloxBlock block = philox(mask.key, {counter << 32, place << 32 | place >> 32});
      pairs[lane] = block.a;
      pairs[lanes + lane] = block.b;
    }
    std::uint32_t bits[words];
    __builtin_memcpy(bits, pairs, sizeof bits);
    const auto put = [&](std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) {
        y[first + i] = bits[i] >> 1 < mask.kept_below ? x[first + i] * scale : T(0);
      }
    };
    n - first >= words ? put(words) : put(n - first);
  }
}

}  // namespace gradus::kernels
