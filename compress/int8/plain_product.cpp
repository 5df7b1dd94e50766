#include <algorithm>
#include <cmath>
#include <vector>

#include "int8/int8_product.hpp"
#include "kernels/clones.hpp"

namespace gradus::compress {
namespace {

// The maximum of |x|, plus the sum of 0·x. This sum is 0, but NaN if x has a NaN or an infinity.
GRADUS_CLONES float largest(std::int64_t n, const float* x) {
  float most = 0, zero = 0;
#pragma omp simd reduction(max : most) reduction(+ : zero)
  for (std::int64_t l = 0; l < n; ++l) {
    most = std::max(most, std::fabs(x[l]));
    zero += x[l] * 0;
  }
  return most + zero;
}

// p ← factor · x, rounded to the nearest integer, ties to even: adds 1.5·2²³ and subtracts it again. Correct
// if |factor · x| is below 2²².
GRADUS_CLONES void round_row(std::int64_t n, const float* x, float factor, std::int8_t* __restrict p) {
  constexpr float magic = 0x1.8p23F;
  for (std::int64_t l = 0; l < n; ++l) {
    p[l] = static_cast<std::int8_t>(static_cast<std::int32_t>((x[l] * factor + magic) - magic));
  }
}

// d may equal y.
GRADUS_CLONES void scale(std::int64_t n, const std::int32_t* sums, float s_x, const float* s, const float* d,
                         float* y) {
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) y[i] = static_cast<float>(sums[i]) * (s_x * s[i]) + d[i];
}
GRADUS_CLONES void scale(std::int64_t n, const std::int32_t* sums, float s_x, const float* s,
                         float* __restrict y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = static_cast<float>(sums[i]) * (s_x * s[i]);
}

// Works with 16-bit numbers, because every x86-64 processor has an instruction (pmaddwd) that multiplies such
// numbers and adds pairs of the products. k is a multiple of plain_padding, so that no products are left for
// a scalar loop.
GRADUS_CLONES void dots(std::int64_t n, std::int64_t k, const std::int16_t* __restrict p,
                        const std::int8_t* __restrict q, std::int64_t stride, std::int32_t* __restrict sums) {
  for (std::int64_t i = 0; i < n; ++i) {
    std::int32_t sum = 0;
    for (std::int64_t l = 0; l < k / plain_padding * plain_padding; ++l) {
      sum += static_cast<std::int32_t>(p[l]) * static_cast<std::int16_t>(q[i * stride + l]);
    }
    sums[i] = sum;
  }
}

}  // namespace

float quantise_row(std::int64_t n, const float* x, std::int8_t* p) {
  const float most = largest(n, x);
  if (!(most >= 0x1p-100F)) {
    std::fill_n(p, n, std::int8_t{0});
    return std::isnan(most) ? most : 0;
  }
  round_row(n, x, 127 / most, p);
  return most / 127;
}

void multiply_plain(std::int64_t m, std::int64_t n, std::int64_t k, const std::int8_t* p,
                    const std::int8_t* q, std::int64_t stride, std::int32_t* sums) {
  const std::int64_t padded = (k + plain_padding - 1) / plain_padding * plain_padding;
  std::vector<std::int16_t> row(static_cast<std::size_t>(padded));  // zeros after the first k
  for (std::int64_t r = 0; r < m; ++r) {
    std::copy_n(p + r * k, k, row.begin());
    dots(n, padded, row.data(), q, stride, sums + r * n);
  }
}

void scale_row(std::int64_t n, const std::int32_t* sums, float s_x, const float* s, const float* d,
               float* y) {
  if (d == nullptr) return scale(n, sums, s_x, s, y);
  scale(n, sums, s_x, s, d, y);
}

}  // namespace gradus::compress
