#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/tape.hpp>

#include <algorithm>

#include "gemm.hpp"
#include "kernels/dispatch.hpp"
#include "storage.hpp"

namespace gradus {
Tensor matmul(const Tensor& a, const Tensor& b) {
  if (a.rank() != 2 || b.rank() != 2) {
    fail("matmul", "needs two matrices, and got ", a.shape(), " and ", b.shape(),
         "; reshape() makes one of two axes");
  }
  const std::int64_t m = a.size(0), k = a.size(1), n = b.size(1);
  if (b.size(0) != k) {
    fail("matmul", "cannot multiply ", a.shape(), " by ", b.shape(), ": axis 1 of the first is ", k,
         " and axis 0 of the second is ", b.size(0), "; they must be equal (transpose one?)");
  }
  check_same_dtype("matmul", a, b);
  Tensor y = empty({m, n}, a.dtype());
  for_floating("matmul", a.dtype(), [&]<class T>() {
    gemm<T>(Layout::plain, Layout::plain, m, n, k, raw<T>(a), raw<T>(b), T(0), raw<T>(y));
  });
  return record("matmul", y, {a, b}, [m, n, k, a = Saved(a), b = Saved(b)](Gradients& g) {
    for_floating("matmul", g.out().dtype(), [&]<class T>() {
      const T* gradient = raw<T>(g.out());
      if (g.wants(0)) {  // g·Bᵀ
        gemm<T>(Layout::plain, Layout::transposed, m, k, n, gradient, raw<T>(b.get(g)), T(1),
                raw<T>(g.in(0)));
      }
      if (g.wants(1)) {  // Aᵀ·g
        gemm<T>(Layout::transposed, Layout::plain, k, n, m, raw<T>(a.get(g)), gradient, T(1),
                raw<T>(g.in(1)));
      }
    });
  });
}

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
    T* out = raw<T>(y);
    if (bias.defined()) {
      for (std::int64_t row = 0; row < rows; ++row) std::copy_n(raw<T>(bias), outputs, out + row * outputs);
    }
    gemm<T>(Layout::plain, Layout::transposed, rows, outputs, inputs, raw<T>(x), raw<T>(weight),
            bias.defined() ? T(1) : T(0), out);
  });
  const auto backward = [rows, outputs, inputs, x = Saved(x), weight = Saved(weight)](Gradients& g) {
    for_floating("linear", g.out().dtype(), [&]<class T>() {
      const T* gradient = raw<T>(g.out());
      if (g.wants(0)) {  // g·W
        gemm<T>(Layout::plain, Layout::plain, rows, inputs, outputs, gradient, raw<T>(weight.get(g)), T(1),
                raw<T>(g.in(0)));
      }
      if (g.wants(1)) {  // gᵀ·x
        gemm<T>(Layout::transposed, Layout::plain, outputs, inputs, rows, gradient, raw<T>(x.get(g)), T(1),
                raw<T>(g.in(1)));
      }
      if (g.wants(2)) add_in_place(g.in(2), g.out());  // summed over the rows
    });
  };
  return record("linear", y, {x, weight, bias}, backward);
}

}  // namespace gradus
