#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/tape.hpp>

#include "kernels/dispatch.hpp"
#include "kernels/math.hpp"
#include "storage.hpp"

namespace gradus {

Tensor weighted_sum(const Tensor& weights, const Tensor& values, const Tensor& lengths) {
  if (weights.rank() != 2 || values.rank() != 3 || weights.shape() != Shape{values.size(1), values.size(0)}) {
    fail("weighted_sum", "needs weights (B, T) and values (T, B, D), and got ", weights.shape(), " and ",
         values.shape());
  }
  check_same_dtype("weighted_sum", weights, values);
  const std::int64_t T_x = values.size(0), B = values.size(1), D = values.size(2);
  check_lengths("weighted_sum", lengths, B, T_x);
  Tensor c = zeros({B, D}, values.dtype());
  for_floating("weighted_sum", values.dtype(), [&]<class T>() {
    for (std::int64_t b = 0; b < B; ++b) {
      T* context = raw<T>(c) + b * D;
      for (std::int64_t t = 0; t < length_of(lengths, b, T_x); ++t) {
        const T alpha = raw<T>(weights)[b * T_x + t];
        const T* h = raw<T>(values) + (t * B + b) * D;
        for (std::int64_t i = 0; i < D; ++i) context[i] += alpha * h[i];
      }
    }
  });
  const auto backward = [=](Gradients& g) {
    for_floating("backward", g.out().dtype(), [&]<class T>() {
      for (std::int64_t b = 0; b < B; ++b) {
        const T* dc = raw<T>(g.out()) + b * D;
        for (std::int64_t t = 0; t < length_of(g.saved(2), b, T_x); ++t) {
          const T* h = raw<T>(g.saved(1)) + (t * B + b) * D;
          if (g.wants(0)) {
            raw<T>(g.in(0))[b * T_x + t] += math::sum_of<T>(D, [=](std::int64_t i) { return dc[i] * h[i]; });
          }
          if (g.wants(1)) {
            const T alpha = raw<T>(g.saved(0))[b * T_x + t];
            T* dh = raw<T>(g.in(1)) + (t * B + b) * D;
            for (std::int64_t i = 0; i < D; ++i) dh[i] += alpha * dc[i];
          }
        }
      }
    });
  };
  return record("weighted_sum", c, {weights, values}, {weights, values, lengths}, backward);
}

}  // namespace gradus
