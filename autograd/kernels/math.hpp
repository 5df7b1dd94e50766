#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "clones.hpp"

/// Transcendental functions, and a few common loops. The float functions have no branches and no calls, so
/// that loops over them vectorise. The double functions call the standard library, because gradient checks
/// need accuracy more than speed.
namespace gradus::math {

/// The bits of 1.0F. Not const: otherwise the compiler would know the value, and between() could not hide its
/// limits.
inline std::uint32_t bits_of_one = 0x3F800000;

/// x limited to [low, high]; NaN stays NaN. If GCC 12 knew the limits, it would emit branches for x outside
/// the limits, evaluate the caller's function in each branch, and blend the results. Multiplying by `one`
/// hides the limits from GCC, and between() becomes two instructions.
inline float between(float low, float x, float high) {
  const auto one = __builtin_bit_cast(float, bits_of_one);
  const float bottom = low * one, top = high * one;
  x = x < bottom ? bottom : x;
  return x > top ? top : x;
}

/// e^x = 2^n (1 + (e^r − 1)), with x = n ln 2 + r and |r| ≤ ln 2 / 2, for −88 ≤ x ≤ 88.9.
struct Exponential {
  float power;  ///< 2^n; 0 at the lower and ∞ at the upper end of the range
  float rest;   ///< e^r − 1, as r times a polynomial; without rounding, e^r has a relative error below 5e-9
};
inline Exponential exponential(float x) {
  // Adding 1.5 · 2^23 to x / ln 2 rounds x / ln 2 to an integer, and puts this integer into the low bits of
  // the sum. The bias 127 makes these bits the exponent of the float 2^n.
  constexpr float round = 12582912.0F + 127.0F;
  const float shifted = x * 1.44269504F + round;
  const float n = shifted - round;
  // ln 2 in two parts; the product of n with the first part is exact.
  const float r = (x - n * 0.693359375F) + n * 2.12194440e-4F;
  float p = 0.001381416285F;
  p = p * r + 0.008368927217F;
  p = p * r + 0.0416684085F;
  p = p * r + 0.1666651889F;
  p = p * r + 0.4999999333F;
  p = p * r + 1.0F;
  return {__builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, shifted) << 23), p * r};
}

/// e^x, within 1.3 units in the last place for −87.3 ≤ x ≤ 88.3. The result is 0 a little below this range,
/// and ∞ a little above.
inline float exp(float x) {
  const Exponential e = exponential(between(-88.0F, x, 88.9F));
  return e.power * (e.rest + 1.0F);
}
inline double exp(double x) { return std::exp(x); }

/// tanh x = (e^2x − 1) / (e^2x + 1), within 3.5 units in the last place. The result is never outside [−1, 1].
inline float tanh(float x) {
  const Exponential e = exponential(2.0F * between(-10.0F, x, 10.0F));
  const float minus_one = e.power * e.rest + (e.power - 1.0F);
  return minus_one / (minus_one + 2.0F);
}
inline double tanh(double x) { return std::tanh(x); }

/// σ(x) = 1 / (1 + e^−x). In f32, the result is within 2.6 units in the last place for x ≥ −87.3, and 0 from
/// a little below −87.3 downwards.
template <class T>
T sigmoid(T x) {
  return T(1) / (T(1) + exp(-x));
}

/// ln(1 + x) for 0 ≤ x ≤ 1: x times a polynomial. Without rounding, its relative error is below 4e-8.
inline float log_one_plus(float x) {
  float p = 0.005364820557F;
  p = p * x - 0.03006577574F;
  p = p * x + 0.07920450621F;
  p = p * x - 0.1375379964F;
  p = p * x + 0.1915365358F;
  p = p * x - 0.248571633F;
  p = p * x + 0.3332132257F;
  p = p * x - 0.4999964796F;
  p = p * x + 1.0F;
  return p * x;
}
inline double log_one_plus(double x) { return std::log1p(x); }

/// ln(1 + e^x), computed as max(x, 0) + ln(1 + e^−|x|). This form neither overflows nor loses digits. In f32,
/// the result is within 3 units in the last place for x ≥ −87.3, and 0 from a little below −87.3 downwards.
template <class T>
T softplus(T x) {
  return (x < 0 ? T(0) : x) + log_one_plus(exp(-std::abs(x)));
}

/// Σ_i term(i) for i < n, in 16 partial sums if n ≥ 16. The compiler can vectorise these sums, and the
/// rounding error grows with n/16 instead of n. The last block is vectorised too: it overlaps the block
/// before, and a mask excludes the terms that were already added.
template <class T, class Term>
T sum_of(std::int64_t n, const Term& term) {
  constexpr int lanes = 16;
  T partial[lanes] = {};
  if (n < lanes) {
    for (std::int64_t i = 0; i < n; ++i) partial[0] += term(i);
    return partial[0];
  }
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (int lane = 0; lane < lanes; ++lane) partial[lane] += term(i + lane);
  }
  if (i < n) {
    const int added = static_cast<int>(i - (n - lanes));
#pragma omp simd
    for (int lane = 0; lane < lanes; ++lane) {
      const T value = term(n - lanes + lane);
      partial[lane] += lane < added ? T(0) : value;
    }
  }
  T total = 0;
#pragma omp simd reduction(+ : total)
  for (int lane = 0; lane < lanes; ++lane) total += partial[lane];
  return total;
}

/// The largest of n values, −∞ if there are none. Ignores NaN.
template <class T>
T max_of(std::int64_t n, const T* x) {
  T largest = -std::numeric_limits<T>::infinity();
#pragma omp simd reduction(max : largest)
  for (std::int64_t i = 0; i < n; ++i) largest = largest < x[i] ? x[i] : largest;
  return largest;
}

/// Prefetches n values; the address may be invalid. By itself, the processor prefetches well only in loops
/// over a few long rows, so loops over many short rows call this.
template <class T>
void fetch(std::int64_t n, const T* x) {
  constexpr std::int64_t line = 64 / sizeof(T);
  for (std::int64_t i = 0; i < n; i += line) __builtin_prefetch(x + i);
}

/// y += x, over n elements.
template <class T>
GRADUS_CLONES void add(std::int64_t n, const T* x, T* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] += x[i];
}

/// y_i ← term(i) + β y_i for i < n, where β is 0 or 1. With β = 0, y is not read.
template <class T, class Term>
void put(std::int64_t n, int beta, T* y, const Term& term) {
  if (beta == 0) {
    for (std::int64_t i = 0; i < n; ++i) y[i] = term(i);
  } else {
    for (std::int64_t i = 0; i < n; ++i) y[i] += term(i);
  }
}

}  // namespace gradus::math
