#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/tape.hpp>

#include <algorithm>
#include <cmath>

#include "kernels/dispatch.hpp"
#include "kernels/math.hpp"
#include "storage.hpp"

namespace gradus {
namespace {

// y_i = e^(x_i − max) / Σ_j e^(x_j − max), for i, j < n.
template <class T>
void softmax_row(const T* x, T* y, std::int64_t n) {
  if (n == 0) return;
  const T largest = *std::max_element(x, x + n);
  for (std::int64_t i = 0; i < n; ++i) y[i] = math::exp(x[i] - largest);
  const T scale = T(1) / math::sum_of<T>(n, [y](std::int64_t i) { return y[i]; });
  for (std::int64_t i = 0; i < n; ++i) y[i] *= scale;
}

// f(x), that works over the last axis, over another one.
template <class F>
Tensor along(const char* operation, const Tensor& x, int axis, F f) {
  axis = checked_axis(operation, x.shape(), axis);
  return axis == x.rank() - 1 ? f(x) : transpose(f(transpose(x, axis, -1)), axis, -1);
}

// Softmax over the first length(r) elements of row r, and zeros beyond.
template <class Length>
Tensor softmax_rows(const char* operation, const Tensor& x, Length length) {
  Tensor y = empty(x.shape(), x.dtype());
  const std::int64_t n = x.size(-1);
  const std::int64_t rows = x.shape().without(-1).numel();
  for_floating(operation, x.dtype(), [&]<class T>() {
    for (std::int64_t r = 0; r < rows; ++r) {
      softmax_row(raw<T>(x) + r * n, raw<T>(y) + r * n, length(r));
      std::fill(raw<T>(y) + r * n + length(r), raw<T>(y) + (r + 1) * n, T(0));
    }
  });
  // Beyond the length y is 0, and so is the gradient: the mask need not be kept.
  return record(operation, y, {x}, {y}, [n, rows](Gradients& g) {
    for_floating("backward", g.out().dtype(), [&]<class T>() {
      for (std::int64_t r = 0; r < rows; ++r) {
        const T* p = raw<T>(g.saved(0)) + r * n;
        const T* d = raw<T>(g.out()) + r * n;
        T* target = raw<T>(g.in(0)) + r * n;
        const T dot = math::sum_of<T>(n, [&](std::int64_t i) { return d[i] * p[i]; });
        for (std::int64_t i = 0; i < n; ++i) target[i] += p[i] * (d[i] - dot);
      }
    });
  });
}

}  // namespace

Tensor softmax(const Tensor& x, int axis) {
  return along("softmax", x, axis, [](const Tensor& rows) {
    return softmax_rows("softmax", rows, [n = rows.size(-1)](std::int64_t) { return n; });
  });
}

Tensor masked_softmax(const Tensor& x, const Tensor& lengths) {
  if (x.rank() == 0) fail("masked_softmax", "needs scores (…, T), and got a scalar");
  const Shape rows = x.shape().without(-1);
  if (lengths.defined() && lengths.shape() != rows)
    fail("masked_softmax", "the lengths are ", lengths.shape(), " and must be ", rows, ", one a row of ",
         x.shape());
  check_lengths("masked_softmax", lengths.defined() ? lengths.reshape({rows.numel()}) : lengths, rows.numel(),
                x.size(-1));
  return softmax_rows("masked_softmax", x, [&](std::int64_t r) { return length_of(lengths, r, x.size(-1)); });
}

namespace {

Tensor log_softmax_rows(const Tensor& x) {
  Tensor y = empty(x.shape(), x.dtype());
  const std::int64_t n = x.size(-1);
  const std::int64_t rows = x.shape().without(-1).numel();
  for_floating("log_softmax", x.dtype(), [&]<class T>() {
    for (std::int64_t r = 0; r < rows && n > 0; ++r) {
      const T* from = raw<T>(x) + r * n;
      T* to = raw<T>(y) + r * n;
      const T largest = *std::max_element(from, from + n);
      const T total = math::sum_of<T>(n, [&](std::int64_t i) { return math::exp(from[i] - largest); });
      const T log_total = std::log(total);  // added to `largest` it would lose digits
      for (std::int64_t i = 0; i < n; ++i) to[i] = from[i] - largest - log_total;
    }
  });
  return record("log_softmax", y, {x}, {y}, [n, rows](Gradients& g) {
    for_floating("backward", g.out().dtype(), [&]<class T>() {
      for (std::int64_t r = 0; r < rows; ++r) {
        const T* log_p = raw<T>(g.saved(0)) + r * n;
        const T* d = raw<T>(g.out()) + r * n;
        T* target = raw<T>(g.in(0)) + r * n;
        const T total = math::sum_of<T>(n, [&](std::int64_t i) { return d[i]; });
        for (std::int64_t i = 0; i < n; ++i) target[i] += d[i] - math::exp(log_p[i]) * total;
      }
    });
  });
}

}  // namespace

Tensor log_softmax(const Tensor& x, int axis) { return along("log_softmax", x, axis, log_softmax_rows); }

}  // namespace gradus
