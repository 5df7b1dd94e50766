#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/tape.hpp>

#include "kernels/dispatch.hpp"
#include "memory/storage.hpp"
#include "products/gemm.hpp"
#include "products/packed_weights.hpp"

namespace gradus {

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  if (weight.rank() != 2) fail("linear", "the weight must be (outputs, inputs), and is ", weight.shape());
  const std::int64_t outputs = weight.size(0), inputs = weight.size(1);
  if (x.rank() == 0 || x.size(-1) != inputs) {
    fail("linear", "the last axis of the input ", x.shape(), " must be axis 1 of the weight ", weight.shape(),
         ", ", inputs);
  }
  check_same_dtype("linear", x, weight);
  if (bias.defined()) {
    if (bias.shape() != Shape{outputs}) {
      fail("linear", "the bias is ", bias.shape(), " and must be ", Shape{outputs}, " for the weight ",
           weight.shape());
    }
    check_same_dtype("linear", x, bias);
  }
  const std::int64_t rows = inputs == 0 ? x.shape().without(-1).numel() : x.numel() / inputs;
  Tensor y = empty(x.shape().with(-1, outputs), x.dtype());
  for_floating("linear", x.dtype(), [&]<class T>() {
    multiply_by_weight<T>(rows, {raw<T>(x), inputs}, weight, 0, inputs, added_bias<T>(bias),
                          {raw<T>(y), outputs});
  });
  const auto backward = typed([rows, outputs, inputs]<class T>(Gradients& g) {
    const T* gradient = raw<T>(g.out());
    if (g.wants(0)) {  // g·W
      g.accumulate(0, [&](const Tensor& at_x, int beta) {
        gemm<T>(Layout::plain, Layout::plain, rows, inputs, outputs, gradient, raw<T>(g.saved(1)), T(beta),
                raw<T>(at_x));
      });
    }
    if (g.wants(1)) {  // gᵀ·x
      g.accumulate(1, [&](const Tensor& at_weight, int beta) {
        gemm<T>(Layout::transposed, Layout::plain, outputs, inputs, rows, gradient, raw<T>(g.saved(0)),
                T(beta), raw<T>(at_weight));
      });
    }
    if (g.wants(2)) g.add(2, g.out());  // summed over the rows
  });
  return record("linear", std::move(y), {x, weight, bias},
                {for_gradient_of(weight, x), for_gradient_of(x, weight)}, backward);
}

}  // namespace gradus
