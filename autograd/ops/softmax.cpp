#include "kernels/softmax.hpp"

#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/tape.hpp>

#include <algorithm>
#include <cmath>

#include "kernels/dispatch.hpp"
#include "kernels/ranges.hpp"
#include "memory/storage.hpp"

namespace gradus {
namespace {

// Applies f along `axis`. f itself works on the last axis.
template <class F>
Tensor along(const char* operation, const Tensor& x, int axis, F f) {
  axis = checked_axis(operation, x.shape(), axis);
  return axis == x.rank() - 1 ? f(x) : transpose(f(transpose(x, axis, -1)), axis, -1);
}

// Softmax over the first `lengths` elements of each row, or over whole rows if `lengths` is undefined. The
// elements past the length are 0.
Tensor softmax_rows(const char* operation, const Tensor& x, const Tensor& lengths) {
  Tensor y = empty(x.shape(), x.dtype());
  const std::int64_t n = x.size(-1);
  const std::int64_t rows = x.shape().without(-1).numel();
  for_floating(operation, x.dtype(), [&]<class T>() {
    const T* from = raw<T>(x);
    T* to = raw<T>(y);
    for_each_row(rows, n, [=, &lengths](std::int64_t r) {
      const std::int64_t real = length_of(lengths, r, n);
      kernels::softmax_row(real, from + r * n, to + r * n);
      std::fill(to + r * n + real, to + (r + 1) * n, T(0));
    });
  });
  return record(operation, y, {x}, {y, lengths}, typed([n, rows]<class T>(Gradients& g) {
                  const T *probabilities = raw<T>(g.saved(0)), *gradient = raw<T>(g.out());
                  const Tensor& saved_lengths = g.saved(1);
                  g.accumulate(0, [&](const Tensor& at_x, int beta) {
                    for_each_row(rows, n, [=, &saved_lengths, first = raw<T>(at_x)](std::int64_t r) {
                      const std::int64_t real = length_of(saved_lengths, r, n);
                      const T *p = probabilities + r * n, *d = gradient + r * n;
                      T* target = first + r * n;
                      const T dot = math::sum_of<T>(real, [=](std::int64_t i) { return d[i] * p[i]; });
                      math::put(real, beta, target, [=](std::int64_t i) { return p[i] * (d[i] - dot); });
                      if (beta == 0) std::fill(target + real, target + n, T(0));
                    });
                  });
                }));
}

}  // namespace

Tensor softmax(const Tensor& x, int axis) {
  return along("softmax", x, axis,
               [](const Tensor& rows) { return softmax_rows("softmax", rows, Tensor()); });
}

Tensor masked_softmax(const Tensor& x, const Tensor& lengths) {
  if (x.rank() == 0) fail("masked_softmax", "needs scores (…, T), and got a scalar");
  const Shape rows = x.shape().without(-1);
  if (lengths.defined() && lengths.shape() != rows)
    fail("masked_softmax", "the lengths are ", lengths.shape(), " and must be ", rows, ", one per row of ",
         x.shape());
  check_lengths("masked_softmax", lengths.defined() ? lengths.reshape({rows.numel()}) : lengths, rows.numel(),
                x.size(-1));
  return softmax_rows("masked_softmax", x, lengths);
}

namespace {

Tensor log_softmax_rows(const Tensor& x) {
  Tensor y = empty(x.shape(), x.dtype());
  const std::int64_t n = x.size(-1);
  const std::int64_t rows = x.shape().without(-1).numel();
  for_floating("log_softmax", x.dtype(), [&]<class T>() {
    for_each_row(rows, n, [n, first = raw<T>(x), result = raw<T>(y)](std::int64_t r) {
      const T* from = first + r * n;
      T* to = result + r * n;
      const T largest = math::max_of(n, from);
      const T total = math::sum_of<T>(n, [=](std::int64_t i) { return math::exp(from[i] - largest); });
      const T log_total = std::log(total);  // not added to `largest`: the sum would lose digits
      for (std::int64_t i = 0; i < n; ++i) to[i] = from[i] - largest - log_total;
    });
  });
  return record("log_softmax", y, {x}, {y}, typed([n, rows]<class T>(Gradients& g) {
                  const T *log_probabilities = raw<T>(g.saved(0)), *gradient = raw<T>(g.out());
                  g.accumulate(0, [&](const Tensor& at_x, int beta) {
                    for_each_row(rows, n, [=, first = raw<T>(at_x)](std::int64_t r) {
                      const T *log_p = log_probabilities + r * n, *d = gradient + r * n;
                      T* target = first + r * n;
                      const T total = math::sum_of<T>(n, [=](std::int64_t i) { return d[i]; });
                      math::put(n, beta, target,
                                [=](std::int64_t i) { return d[i] - math::exp(log_p[i]) * total; });
                    });
                  });
                }));
}

}  // namespace

Tensor log_softmax(const Tensor& x, int axis) { return along("log_softmax", x, axis, log_softmax_rows); }

}  // namespace gradus
