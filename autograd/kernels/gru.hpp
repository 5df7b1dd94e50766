#pragma once

#include "clones.hpp"
#include "math.hpp"

/// The pointwise half of a gated recurrent unit (fused.hpp, gru_update), a row of H at a time:
///
///     r = σ(x_r + u_r),  z = σ(x_z + u_z),  n = tanh(x_n + r ∘ u_n),  y = n + z ∘ (h − n)
///
/// where x = [x_r; x_z; x_n] = W_ih x_t + b_ih and u = [u_r; u_z; u_n] = W_hh h + b_hh, each (3H). Results
/// overlap nothing, without which the loops would not vectorise. The forward is bound by the arithmetic of
/// its three transcendental functions, the backward by memory.
namespace gradus::kernels {

template <class T>
struct GruGates {
  T r, z, n;
};

// x and u at one element, whose gates lie H apart.
template <class T>
GruGates<T> gru_gates(std::int64_t H, const T* x, const T* u) {
  const T r = math::sigmoid(x[0] + u[0]);
  const T z = math::sigmoid(x[H] + u[H]);
  return {r, z, math::tanh(x[2 * H] + r * u[2 * H])};
}

/// y (H) from x (3H), u (3H) and h (H).
template <class T>
GRADUS_CLONES void gru_row(std::int64_t H, const T* x, const T* u, const T* h, T* __restrict y) {
  for (std::int64_t i = 0; i < H; ++i) {
    const auto [r, z, n] = gru_gates(H, x + i, u + i);
    y[i] = n + z * (h[i] - n);
  }
}

/// The same, and kept (4H) = [r; z; n; u_n], which is all that the backward needs of x and u.
template <class T>
GRADUS_CLONES void gru_row_keeping(std::int64_t H, const T* x, const T* u, const T* h, T* __restrict y,
                                   T* __restrict kept) {
  for (std::int64_t i = 0; i < H; ++i) {
    const auto [r, z, n] = gru_gates(H, x + i, u + i);
    y[i] = n + z * (h[i] - n);
    kept[i] = r;
    kept[H + i] = z;
    kept[2 * H + i] = n;
    kept[3 * H + i] = u[2 * H + i];
  }
}

/// From d (H), the gradient at y: those at x (3H), u (3H) and h (H), which are written, not added. Meanwhile
/// the rows after these are fetched: in memory one follows the other.
template <class T>
GRADUS_CLONES void gru_backward_row(std::int64_t H, const T* kept, const T* h, const T* d, T* __restrict at_x,
                                    T* __restrict at_u, T* __restrict at_h) {
  math::fetch(4 * H, kept + 4 * H);
  math::fetch(H, h + H);
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

}  // namespace gradus::kernels
