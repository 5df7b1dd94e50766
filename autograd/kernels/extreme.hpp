#pragma once

#include <cstdint>
#include <type_traits>

#include "clones.hpp"

/// The largest or the smallest value of each row of n values, and the gradient. If n is the constant 2, as in
/// maxout, the compiler can vectorise over rows.
namespace gradus::kernels {

/// y (rows) ← the largest or the smallest value of each row of x (rows, n), n ≥ 1. A row with a NaN gives
/// NaN.
template <bool largest, class T>
GRADUS_CLONES void extremes(std::int64_t rows, std::int64_t n, const T* x, T* __restrict y) {
  const auto choose = [=](auto count) {
    for (std::int64_t r = 0; r < rows; ++r) {
      T best = x[r * count];
      for (std::int64_t i = 1; i < count; ++i) {
        const T candidate = x[r * count + i];
        const bool beats = largest ? candidate > best : candidate < best;
        best = beats || candidate != candidate ? candidate : best;
      }
      y[r] = best;
    }
  };
  n == 2 ? choose(std::integral_constant<std::int64_t, 2>()) : choose(n);
}

/// at_x ← (the gradient of x) + β·at_x, given d (rows), the gradient of y. β is 0 or 1. Elements that tie get
/// equal parts of the gradient.
template <class T>
GRADUS_CLONES void extremes_backward(std::int64_t rows, std::int64_t n, const T* x, const T* y, const T* d,
                                     T beta, T* __restrict at_x) {
  const auto divide = [=](auto count) {
    for (std::int64_t r = 0; r < rows; ++r) {
      T winners = 0;
      for (std::int64_t i = 0; i < count; ++i) winners += x[r * count + i] == y[r] ? T(1) : T(0);
      const bool spoilt = y[r] != y[r];  // a NaN in a row makes all gradients of the row NaN
      const T each = spoilt ? y[r] : d[r] / winners;
      for (std::int64_t i = 0; i < count; ++i) {
        const T before = beta == T(0) ? T(0) : at_x[r * count + i];
        at_x[r * count + i] = before + (x[r * count + i] == y[r] || spoilt ? each : T(0));
      }
    }
  };
  n == 2 ? divide(std::integral_constant<std::int64_t, 2>()) : divide(n);
}

}  // namespace gradus::kernels
