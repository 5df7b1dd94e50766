#pragma once

#include "clones.hpp"
#include "math.hpp"

/// The elementwise part of a gated recurrent unit (gru_update in fused.hpp), one row of H values at a time:
///
///     r = σ(x_r + u_r),  z = σ(x_z + u_z),  n = tanh(x_n + r ∘ u_n),  y = n + z ∘ (h − n)
///
/// where x = [x_r; x_z; x_n] = W_ih x_t + b_ih and u = [u_r; u_z; u_n] = W_hh h + b_hh, each (3H). Results
/// must not overlap with inputs, so that the loops vectorise. The forward pass spends most of its time in the
/// three transcendental functions; the backward pass is limited by memory bandwidth.
namespace gradus::kernels {

/// Computes y (H) and, for the backward pass, kept (4H) = [r; z; n; u_n] from x (3H), u (3H) and h (H).
template <class T>
GRADUS_CLONES void gru_row(std::int64_t H, const T* x, const T* u, const T* h, T* __restrict y,
                           T* __restrict kept) {
  for (std::int64_t i = 0; i < H; ++i) {
    const T r = math::sigmoid(x[i] + u[i]);
    const T z = math::sigmoid(x[H + i] + u[H + i]);
    const T n = math::tanh(x[2 * H + i] + r * u[2 * H + i]);
    y[i] = n + z * (h[i] - n);
    kept[i] = r;
    kept[H + i] = z;
    kept[2 * H + i] = n;
    kept[3 * H + i] = u[2 * H + i];
  }
}

/// Given d (H), the gradient of y, writes the gradients of x (3H), u (3H) and h (H). `kept` is that of
/// gru_row(). Prefetches the next rows of at_x, at_u and `kept`; assumes that the rows of `kept` are 5H
/// elements apart.
template <class T>
GRADUS_CLONES void gru_backward_row(std::int64_t H, const T* kept, const T* h, const T* d, T* __restrict at_x,
                                    T* __restrict at_u, T* __restrict at_h) {
  math::fetch(5 * H, kept + 5 * H);
  math::fetch(3 * H, at_x + 3 * H);
  math::fetch(3 * H, at_u + 3 * H);
  for (std::int64_t i = 0; i < H; ++i) {
    const T r = kept[i], z = kept[H + i], n = kept[2 * H + i], u_n = kept[3 * H + i];
    const T at_n = d[i] * (T(1) - z) * (T(1) - n * n);
    at_x[i] = at_u[i] = at_n * u_n * r * (T(1) - r);
    at_x[H + i] = at_u[H + i] = d[i] * (h[i] - n) * z * (T(1) - z);
    at_x[2 * H + i] = at_n;
    at_u[2 * H + i] = at_n * r;
    at_h[i] = d[i] * z;
  }
}

// ---- The original form, n = tanh(x_n + u_n) where u_n = W_hn (r ∘ h) + b_hn.
// A row of `kept`, (5H), is [r; z; n; h; r ∘ h]. The caller stores h in the row beforehand.

/// Computes r, z and r ∘ h from x (3H) and u = [u_r; u_z] (2H).
template <class T>
GRADUS_CLONES void original_gru_gates(std::int64_t H, const T* x, const T* u, T* kept) {
#pragma omp simd
  for (std::int64_t i = 0; i < H; ++i) {
    const T r = math::sigmoid(x[i] + u[i]);
    kept[i] = r;
    kept[H + i] = math::sigmoid(x[H + i] + u[H + i]);
    kept[4 * H + i] = r * kept[3 * H + i];
  }
}

/// Computes n and y (H) from x (3H), u_n (H), and the h and z in `kept`.
template <class T>
GRADUS_CLONES void original_gru_row(std::int64_t H, const T* x, const T* u_n, T* kept, T* __restrict y) {
#pragma omp simd
  for (std::int64_t i = 0; i < H; ++i) {
    const T n = math::tanh(x[2 * H + i] + u_n[i]);
    kept[2 * H + i] = n;
    y[i] = n + kept[H + i] * (kept[3 * H + i] - n);
  }
}

/// Given d (H), the gradient of y, writes the gradients of x_z and x_n, and the part of h's gradient (H) that
/// does not pass through a matrix product.
template <class T>
GRADUS_CLONES void original_gru_backward_row(std::int64_t H, const T* kept, const T* d, T* __restrict at_x,
                                             T* __restrict at_h) {
  for (std::int64_t i = 0; i < H; ++i) {
    const T z = kept[H + i], n = kept[2 * H + i];
    at_x[H + i] = d[i] * (kept[3 * H + i] - n) * z * (T(1) - z);
    at_x[2 * H + i] = d[i] * (T(1) - z) * (T(1) - n * n);
    at_h[i] = d[i] * z;
  }
}

/// Given d (H), the gradient of r ∘ h, writes the gradient of x_r, and adds to the gradient of h.
template <class T>
GRADUS_CLONES void original_gru_backward_gates(std::int64_t H, const T* kept, const T* d, T* __restrict at_x,
                                               T* __restrict at_h) {
  for (std::int64_t i = 0; i < H; ++i) {
    const T r = kept[i];
    at_x[i] = d[i] * kept[3 * H + i] * r * (T(1) - r);
    at_h[i] += d[i] * r;
  }
}

}  // namespace gradus::kernels
