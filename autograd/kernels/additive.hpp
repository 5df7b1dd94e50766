#pragma once

#include "clones.hpp"
#include "math.hpp"

/// Bahdanau's energies of one query (additive_energy in fused.hpp): e_t = v · tanh(q + k_t), t < T_x. q and v
/// are (A), and key k_t begins at k + t · stride. If the keys are in the processor's cache, the forward and
/// the backward pass spend most of their time in the tanh.
namespace gradus::kernels {

/// Computes e (T_x).
template <class T>
GRADUS_CLONES void additive_energies(std::int64_t T_x, std::int64_t A, const T* q, const T* k,
                                     std::int64_t stride, const T* v, T* __restrict e) {
  for (std::int64_t t = 0; t < T_x; ++t, k += stride) {
    e[t] = math::sum_of<T>(A, [=](std::int64_t a) { return v[a] * math::tanh(q[a] + k[a]); });
  }
}

/// Given d (T_x), the gradient of e, adds to the gradients of q (A), v (A) and the keys. The gradient of k_t
/// begins at at_k + t · at_stride. Recomputes the T_x · A values of the tanh, which is cheaper than storing
/// them. If the keys' gradient is not wanted, pass one scratch row as at_k, and an at_stride of 0.
template <class T>
GRADUS_CLONES void additive_energies_backward(std::int64_t T_x, std::int64_t A, const T* q, const T* k,
                                              std::int64_t stride, const T* v, const T* d, T* __restrict at_q,
                                              T* __restrict at_k, std::int64_t at_stride,
                                              T* __restrict at_v) {
  for (std::int64_t t = 0; t < T_x; ++t, k += stride, at_k += at_stride) {
#pragma omp simd  // without it, GCC tests for overlap, and runs a scalar loop if at_stride is 0
    for (std::int64_t a = 0; a < A; ++a) {
      const T y = math::tanh(q[a] + k[a]);
      const T at_sum = d[t] * v[a] * (T(1) - y * y);
      at_q[a] += at_sum;
      at_k[a] += at_sum;
      at_v[a] += d[t] * y;
    }
  }
}

}  // namespace gradus::kernels
