#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

/// Transcendental functions without branches or calls, so that loops over them vectorise. For double they are
/// the standard library's: double is for checking gradients, and there accuracy is worth more than speed.
namespace gradus::math {

/// e^x = 2^n + 2^n (e^r − 1), with x = n ln 2 + r and |r| ≤ ln 2 / 2; for −87.3 ≤ x ≤ 88.3.
struct Exponential {
  float power;  ///< 2^n
  float rest;   ///< e^r − 1, by its Taylor polynomial of degree 7: the remainder there is below 6e-9
};
inline Exponential exponential(float x) {
  constexpr float round = 12582912.0F;  // 1.5 · 2^23: adding it rounds to an integer …
  const float shifted = x * 1.44269504F + round;
  const float n = shifted - round;
  const float r =
      (x - n * 0.693359375F) + n * 2.12194440e-4F;  // ln 2 in two parts; the first product is exact
  const std::uint32_t exponent =
      __builtin_bit_cast(std::uint32_t, shifted) + 127U;  // … that stands in the low bits
  float p = 1.0F / 5040;
  p = p * r + 1.0F / 720;
  p = p * r + 1.0F / 120;
  p = p * r + 1.0F / 24;
  p = p * r + 1.0F / 6;
  p = p * r + 1.0F / 2;
  return {__builtin_bit_cast(float, exponent << 23), p * r * r + r};
}

/// Within 2 units in the last place; 0 below −87.3, where it would leave the normal numbers, and ∞
/// above 88.3.
inline float exp(float x) {
  const Exponential e = exponential(std::min(std::max(x, -87.3F), 88.3F));
  const float y = e.power * e.rest + e.power;
  return x < -87.3F ? 0.0F : x > 88.3F ? std::numeric_limits<float>::infinity() : y;
}
inline double exp(double x) { return std::exp(x); }

/// tanh x = (e^2x − 1) / (e^2x + 1), within 4 units in the last place.
inline float tanh(float x) {
  const Exponential e = exponential(2.0F * std::min(std::max(x, -10.0F), 10.0F));
  const float minus_one = e.power * e.rest + (e.power - 1.0F);
  return minus_one / (minus_one + 2.0F);
}
inline double tanh(double x) { return std::tanh(x); }

/// σ(x) = 1 / (1 + e^−x).
template <class T>
T sigmoid(T x) {
  return T(1) / (T(1) + exp(-x));
}

/// ln(1 + e^x) = max(x, 0) + ln(1 + e^−|x|), which neither overflows nor loses digits.
template <class T>
T softplus(T x) {
  return (x < 0 ? T(0) : x) + std::log1p(exp(-std::abs(x)));
}

/// Σ_i term(i) for i < n, in many partial sums: the compiler can add them side by side, and the rounding
/// error grows with n/16 and not with n.
template <class T, class Term>
T sum_of(std::int64_t n, const Term& term) {
  constexpr int lanes = 16;
  T partial[lanes] = {};
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (int lane = 0; lane < lanes; ++lane) partial[lane] += term(i + lane);
  }
  T total = 0;
  for (; i < n; ++i) total += term(i);
  for (const T value : partial) total += value;
  return total;
}

/// y += x, over n elements.
template <class T>
void add(std::int64_t n, const T* x, T* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] += x[i];
}

/// y_i ← term(i) + β y_i for i < n, where β is 0, and y is not read, or 1.
template <class T, class Term>
void put(std::int64_t n, int beta, T* y, const Term& term) {
  if (beta == 0) {
    for (std::int64_t i = 0; i < n; ++i) y[i] = term(i);
  } else {
    for (std::int64_t i = 0; i < n; ++i) y[i] += term(i);
  }
}

}  // namespace gradus::math
