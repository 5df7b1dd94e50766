#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/tape.hpp>

#include "composed.hpp"
#include "kernels/dispatch.hpp"
#include "kernels/ranges.hpp"
#include "kernels/weighted.hpp"
#include "memory/storage.hpp"
#include "runtime/runtime_state.hpp"

namespace gradus {
namespace composed {

Tensor zero_padding(const Tensor& x, const Tensor& lengths) {
  if (!lengths.defined()) return x;
  const std::int64_t T = x.size(0);
  const Tensor real = greater(lengths.reshape({1, -1}), arange(T).reshape({T, 1}));  // (T, B)
  return where(x.rank() == 2 ? real : unsqueeze(real, -1), x, zeros({1}, x.dtype()));
}

namespace {

Tensor weighted_sum(const Tensor& weights, const Tensor& values, const Tensor& lengths) {
  // Masks the factors, not the products. If a product were masked, the gradient of each factor would be 0
  // times the other factor, and 0 times NaN or ∞ is NaN.
  const Tensor alpha = zero_padding(transpose(weights, 0, 1), lengths);  // (T, B)
  return sum(unsqueeze(alpha, -1) * zero_padding(values, lengths), 0);   // (T, B, 1) · (T, B, D)
}

}  // namespace
}  // namespace composed

Tensor weighted_sum(const Tensor& weights, const Tensor& values, const Tensor& lengths) {
  if (weights.rank() != 2 || values.rank() != 3 || weights.shape() != Shape{values.size(1), values.size(0)}) {
    fail("weighted_sum", "needs weights (B, T) and values (T, B, D), and got ", weights.shape(), " and ",
         values.shape());
  }
  check_same_dtype("weighted_sum", weights, values);
  const std::int64_t T_x = values.size(0), B = values.size(1), D = values.size(2);
  check_lengths("weighted_sum", lengths, B, T_x);
  if (!thread_state().fuses) return composed::weighted_sum(weights, values, lengths);
  Tensor c = zeros({B, D}, values.dtype());
  for_floating("weighted_sum", values.dtype(), [&]<class T>() {
    const T *alpha = raw<T>(weights), *h = raw<T>(values);
    T* const context = raw<T>(c);
    for_each_range(B, T_x * D, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t b = begin; b < end; ++b) {
        kernels::weighted_sum_row(length_of(lengths, b, T_x), D, alpha + b * T_x, h + b * D, B * D,
                                  context + b * D);
      }
    });
  });
  const auto backward = typed([=]<class T>(Gradients& g) {
    const T *alpha = raw<T>(g.saved(0)), *h = raw<T>(g.saved(1)), *d = raw<T>(g.out());
    T* const at_alpha = g.wants(0) ? raw<T>(g.in(0)) : nullptr;
    T* const at_h = g.wants(1) ? raw<T>(g.in(1)) : nullptr;
    for_each_range(B, T_x * D, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t b = begin; b < end; ++b) {
        const std::int64_t length = length_of(g.saved(2), b, T_x);
        if (at_alpha) {
          kernels::weighted_sum_to_weights(length, D, h + b * D, B * D, d + b * D, at_alpha + b * T_x);
        }
        if (at_h) {
          kernels::weighted_sum_to_values(length, D, alpha + b * T_x, d + b * D, at_h + b * D, B * D);
        }
      }
    });
  });
  return record("weighted_sum", c, {weights, values}, {weights, values, lengths}, backward);
}

}  // namespace gradus
