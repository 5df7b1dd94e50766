#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/tape.hpp>

#include "kernels/dispatch.hpp"
#include "kernels/weighted.hpp"
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
      kernels::weighted_sum_row(length_of(lengths, b, T_x), D, raw<T>(weights) + b * T_x,
                                raw<T>(values) + b * D, B * D, raw<T>(c) + b * D);
    }
  });
  const auto backward = [=](Gradients& g) {
    for_floating("backward", g.out().dtype(), [&]<class T>() {
      for (std::int64_t b = 0; b < B; ++b) {
        const std::int64_t length = length_of(g.saved(2), b, T_x);
        const T* d = raw<T>(g.out()) + b * D;
        if (g.wants(0)) {
          kernels::weighted_sum_to_weights(length, D, raw<T>(g.saved(1)) + b * D, B * D, d,
                                           raw<T>(g.in(0)) + b * T_x);
        }
        if (g.wants(1)) {
          kernels::weighted_sum_to_values(length, D, raw<T>(g.saved(0)) + b * T_x, d, raw<T>(g.in(1)) + b * D,
                                          B * D);
        }
      }
    });
  };
  return record("weighted_sum", c, {weights, values}, {weights, values, lengths}, backward);
}

}  // namespace gradus
