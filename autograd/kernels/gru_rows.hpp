#pragma once

#include <algorithm>
#include <cstdint>

#include "math.hpp"

/// One row of a GRU after its two products, and its gradients. x and u are the parts of the input and of the
/// state, each [r; z; n] of H.
///
///     r = σ(x_r + u_r),  z = σ(x_z + u_z),  n = tanh(x_n + r ∘ u_n),  y = n + z ∘ (h − n)
namespace gradus::gru {

/// Rows of H that are worth a thread: an element takes about a nanosecond.
inline std::int64_t grain(std::int64_t H) {
  return std::max<std::int64_t>(1, 8192 / std::max<std::int64_t>(H, 1));
}

/// Puts the bias, if there is one, where a product will add to it; the β of that product.
template <class T>
T start_with_bias(std::int64_t rows, std::int64_t H, const T* bias, T* u) {
  if (bias == nullptr) return T(0);
  for (std::int64_t row = 0; row < rows; ++row) std::copy_n(bias, 3 * H, u + row * 3 * H);
  return T(1);
}

/// y, and [r; z; n; u_n] for backward_row.
template <class T>
void forward_row(std::int64_t H, const T* x, const T* u, const T* h, T* __restrict y, T* __restrict gates) {
  for (std::int64_t i = 0; i < H; ++i) {
    const T r = math::sigmoid(x[i] + u[i]);
    const T z = math::sigmoid(x[H + i] + u[H + i]);
    const T n = math::tanh(x[2 * H + i] + r * u[2 * H + i]);
    y[i] = n + z * (h[i] - n);
    gates[i] = r;
    gates[H + i] = z;
    gates[2 * H + i] = n;
    gates[3 * H + i] = u[2 * H + i];
  }
}

/// From d = dy + dh, where dh comes from later steps: the gradients at x, and at u, where the last part is
/// r times as large, and in dh's place d∘z, what goes to h past the products.
template <class T>
void backward_row(std::int64_t H, const T* gates, const T* h, const T* dy, T* __restrict dh,
                  T* __restrict at_x, T* __restrict at_u) {
  for (std::int64_t i = 0; i < H; ++i) {
    const T r = gates[i], z = gates[H + i], n = gates[2 * H + i], u_n = gates[3 * H + i];
    const T d = dy[i] + dh[i];
    const T dn = d * (T(1) - z) * (T(1) - n * n);
    const T dr = dn * u_n * r * (T(1) - r);
    const T dz = d * (h[i] - n) * z * (T(1) - z);
    at_x[i] = dr;
    at_x[H + i] = dz;
    at_x[2 * H + i] = dn;
    at_u[i] = dr;
    at_u[H + i] = dz;
    at_u[2 * H + i] = dn * r;
    dh[i] = d * z;
  }
}

}  // namespace gradus::gru
