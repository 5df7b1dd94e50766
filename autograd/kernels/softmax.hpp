#pragma once

#include <cstdint>

#include "clones.hpp"
#include "math.hpp"

namespace gradus::kernels {

/// Writes e_i = exp(x_i − shift) for i < n, and returns their sum. e may alias x.
template <class T>
GRADUS_CLONES T exponentials(std::int64_t n, const T* x, T shift, T* e) {
  T total = 0;
#pragma omp simd reduction(+ : total)
  for (std::int64_t i = 0; i < n; ++i) {
    const T value = math::exp(x[i] - shift);
    e[i] = value;
    total += value;
  }
  return total;
}

/// y_i = e^(x_i − max) / Σ_j e^(x_j − max), for i, j < n. y may alias x.
template <class T>
GRADUS_CLONES void softmax_row(std::int64_t n, const T* x, T* y) {
  const T scale = T(1) / exponentials(n, x, math::max_of(n, x), y);
  for (std::int64_t i = 0; i < n; ++i) y[i] *= scale;
}

/// The gradient of x, given y = softmax(x) and d, the gradient of y: at_x_i = y_i (d_i − Σ_j d_j y_j). at_x
/// may alias d.
template <class T>
GRADUS_CLONES void softmax_backward_row(std::int64_t n, const T* y, const T* d, T* at_x) {
  const T dot = math::sum_of<T>(n, [=](std::int64_t i) { return d[i] * y[i]; });
  for (std::int64_t i = 0; i < n; ++i) at_x[i] = y[i] * (d[i] - dot);
}

}  // namespace gradus::kernels
