#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/tape.hpp>

#include <algorithm>

#include "kernels/dispatch.hpp"
#include "kernels/strided.hpp"
#include "memory/storage.hpp"
#include "products/gemm.hpp"

namespace gradus {
namespace {

// A view of the first element of each matrix in x (…, rows, columns).
template <class T>
View<T> matrices(const Tensor& x) {
  View<T> result = view<T>(x);
  result.shape = result.shape.without(-1).without(-1);
  return result;
}

// Y ← A·B + β·Y for every matrix of a batch. Leading axes broadcast. Products for the same matrix of Y are
// summed.
template <class T>
void multiply(Layout a_layout, Layout b_layout, const Tensor& a, const Tensor& b, T beta, const Tensor& y) {
  const std::int64_t m = y.size(-2), n = y.size(-1), k = a.size(a_layout == Layout::plain ? -1 : -2);
  const auto in_a = matrices<const T>(a), in_b = matrices<const T>(b);
  const auto in_y = matrices<T>(y);
  const Shape batch = broadcast("matmul", in_y.shape, broadcast("matmul", in_a.shape, in_b.shape));
  if (beta == T(0) && batch != in_y.shape) {
    std::fill_n(raw<T>(y), y.numel(), T(0));
    beta = T(1);
  }
  const Walk<3> walk(
      batch, {in_y.expanded(batch).strides, in_a.expanded(batch).strides, in_b.expanded(batch).strides});
  walk.for_each_row([&](const auto& at, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      gemm<T>(a_layout, b_layout, m, n, k, in_a.data + at[1] + i * walk.step(1),
              in_b.data + at[2] + i * walk.step(2), beta, in_y.data + at[0] + i * walk.step(0));
    }
  });
}

// A view of x as one matrix that contains the rows of all matrices of x. If B is a single matrix, one product
// with this tall matrix replaces the products of the batch.
Tensor rows_of(const Tensor& x) { return view_of(x, 0, {x.shape().without(-1).numel(), x.size(-1)}); }

Tensor product(const Tensor& a, const Tensor& b) {
  const Shape batch =
      broadcast("matmul", a.shape().without(-1).without(-1), b.shape().without(-1).without(-1));
  Tensor y =
      empty(batch.inserted(batch.rank(), a.size(-2)).inserted(batch.rank() + 1, b.size(-1)), a.dtype());
  const bool tall = b.rank() == 2;
  for_floating("matmul", a.dtype(), [&]<class T>() {
    multiply<T>(Layout::plain, Layout::plain, tall ? rows_of(a) : a, b, T(0), tall ? rows_of(y) : y);
  });
  return record(
      "matmul", y, {a, b}, {for_gradient_of(b, a), for_gradient_of(a, b)},
      typed([tall]<class T>(Gradients& g) {
        const auto rows = [tall](const Tensor& x) { return tall ? rows_of(x) : x; };
        const Tensor gradient = rows(g.out());
        if (g.wants(0)) {  // g·Bᵀ
          g.accumulate(0, [&](const Tensor& at_a, int beta) {
            multiply<T>(Layout::plain, Layout::transposed, gradient, g.saved(1), T(beta), rows(at_a));
          });
        }
        if (g.wants(1)) {  // Aᵀ·g
          g.accumulate(1, [&](const Tensor& at_b, int beta) {
            multiply<T>(Layout::transposed, Layout::plain, rows(g.saved(0)), gradient, T(beta), at_b);
          });
        }
      }));
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b) {
  if (a.rank() == 0 || b.rank() == 0) {
    fail("matmul", "needs vectors, matrices or batches of them, and got ", a.shape(), " and ", b.shape(),
         "; multiply by a scalar with *");
  }
  const int inner = b.rank() == 1 ? 0 : b.rank() - 2;
  if (a.size(-1) != b.size(inner)) {
    fail("matmul", "cannot multiply ", a.shape(), " by ", b.shape(), ": axis ", a.rank() - 1,
         " of the first is ", a.size(-1), " and axis ", inner, " of the second is ", b.size(inner),
         "; they must be equal (transpose one?)");
  }
  check_same_dtype("matmul", a, b);
  if (a.rank() == 1) return squeeze(matmul(unsqueeze(a, 0), b), b.rank() == 1 ? 0 : -2);
  if (b.rank() == 1) return squeeze(product(a, unsqueeze(b, 1)), -1);
  return product(a, b);
}

Tensor outer(const Tensor& a, const Tensor& b) {
  if (a.rank() != 1 || b.rank() != 1)
    fail("outer", "needs two vectors, and got ", a.shape(), " and ", b.shape());
  return unsqueeze(a, 1) * b;
}

}  // namespace gradus
