#pragma once

#include "clones.hpp"
#include "math.hpp"

/// The elementwise part of a long short-term memory (lstm_update in fused.hpp), one row of H values at a
/// time:
///
///     i = σ(x_i + u_i),  f = σ(x_f + u_f),  g = tanh(x_g + u_g),  o = σ(x_o + u_o)
///     c′ = f ∘ c + i ∘ g,  h′ = o ∘ tanh(c′)
///
/// where x = [x_i; x_f; x_g; x_o] = W_ih x_t + b_ih and u = [u_i; u_f; u_g; u_o] = W_hh h + b_hh, each (4H).
/// Results must not overlap other arguments, so that the loops vectorise. The forward pass spends most of its
/// time in the five transcendental functions; the backward pass is limited by memory bandwidth.
namespace gradus::kernels {

/// Computes new_h (H), new_c (H) and, for the backward pass, kept (5H) = [i; f; g; o; tanh c′] from x (4H), u
/// (4H) and c (H).
template <class T>
GRADUS_CLONES void lstm_row(std::int64_t H, const T* x, const T* u, const T* c, T* __restrict new_h,
                            T* __restrict new_c, T* __restrict kept) {
  for (std::int64_t k = 0; k < H; ++k) {
    const T i = math::sigmoid(x[k] + u[k]), f = math::sigmoid(x[H + k] + u[H + k]);
    const T g = math::tanh(x[2 * H + k] + u[2 * H + k]), o = math::sigmoid(x[3 * H + k] + u[3 * H + k]);
    new_c[k] = f * c[k] + i * g;
    const T y = math::tanh(new_c[k]);
    new_h[k] = o * y;
    kept[k] = i;
    kept[H + k] = f;
    kept[2 * H + k] = g;
    kept[3 * H + k] = o;
    kept[4 * H + k] = y;
  }
}

/// Given d_h and d_c (H), the gradients of h′ and c′, writes the gradient of c (H) and the gradients of the
/// gates' arguments (4H), which are the gradients of both x and u.
template <class T>
GRADUS_CLONES void lstm_backward_row(std::int64_t H, const T* kept, const T* c, const T* d_h, const T* d_c,
                                     T* __restrict at_gates, T* __restrict at_c) {
  for (std::int64_t k = 0; k < H; ++k) {
    const T i = kept[k], f = kept[H + k], g = kept[2 * H + k], o = kept[3 * H + k], y = kept[4 * H + k];
    const T d = d_c[k] + d_h[k] * o * (T(1) - y * y);
    at_gates[k] = d * g * i * (T(1) - i);
    at_gates[H + k] = d * c[k] * f * (T(1) - f);
    at_gates[2 * H + k] = d * i * (T(1) - g * g);
    at_gates[3 * H + k] = d_h[k] * y * o * (T(1) - o);
    at_c[k] = d * f;
  }
}

}  // namespace gradus::kernels
