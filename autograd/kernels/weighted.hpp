#pragma once

#include "clones.hpp"
#include "math.hpp"

/// The dot-product energies of one query, and its context c = Σ_t α_t h_t for t < T_x (weighted_sum in
/// fused.hpp). c is (D), and h_t begins at h + t · stride. The forward and the backward pass spend most of
/// their time reading h.
namespace gradus::kernels {

/// Adds the context to c (D).
template <class T>
GRADUS_CLONES void weighted_sum_row(std::int64_t T_x, std::int64_t D, const T* alpha, const T* h,
                                    std::int64_t stride, T* __restrict c) {
  for (std::int64_t t = 0; t < T_x; ++t, h += stride) {
    for (std::int64_t i = 0; i < D; ++i) c[i] += alpha[t] * h[i];
  }
}

/// Computes the energies e_t = scale · q · k_t, t < T_x. q is (A), and key k_t begins at k + t · stride.
template <class T>
GRADUS_CLONES void dot_energies(std::int64_t T_x, std::int64_t A, T scale, const T* q, const T* k,
                                std::int64_t stride, T* __restrict e) {
  for (std::int64_t t = 0; t < T_x; ++t, k += stride) {
    e[t] = scale * math::sum_of<T>(A, [=](std::int64_t a) { return q[a] * k[a]; });
  }
}

/// Given d (D), the gradient of c, adds to the gradient of α (T_x).
template <class T>
GRADUS_CLONES void weighted_sum_to_weights(std::int64_t T_x, std::int64_t D, const T* h, std::int64_t stride,
                                           const T* d, T* __restrict at_alpha) {
  for (std::int64_t t = 0; t < T_x; ++t, h += stride) {
    at_alpha[t] += math::sum_of<T>(D, [=](std::int64_t i) { return d[i] * h[i]; });
  }
}

/// Given d (D), the gradient of c, adds to the gradients of all h_t. The gradient of h_t begins at at_h + t ·
/// stride.
template <class T>
GRADUS_CLONES void weighted_sum_to_values(std::int64_t T_x, std::int64_t D, const T* alpha, const T* d,
                                          T* __restrict at_h, std::int64_t stride) {
  for (std::int64_t t = 0; t < T_x; ++t, at_h += stride) {
    for (std::int64_t i = 0; i < D; ++i) at_h[i] += alpha[t] * d[i];
  }
}

}  // namespace gradus::kernels
