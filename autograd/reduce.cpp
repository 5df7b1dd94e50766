#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/tape.hpp>

#include "kernels/dispatch.hpp"
#include "kernels/map.hpp"
#include "storage.hpp"

namespace gradus {
namespace {

// The sum of x into `kept`, x's shape with 1 in place of the sizes that are summed over; returned in shape
// `result`.
Tensor sum_to(const char* operation, const Tensor& x, const Shape& kept, const Shape& result, double scale) {
  Tensor y = zeros(kept, x.dtype());
  for_floating(operation, x.dtype(), [&]<class T>() {
    map_add(same, x.shape(), view<T>(y), view<const T>(x));
    if (scale != 1.0) {
      for (std::int64_t i = 0; i < y.numel(); ++i) raw<T>(y)[i] *= static_cast<T>(scale);
    }
  });
  return record(operation, view_of(y, 0, result), {x}, [kept, scale](Gradients& g) {
    const Tensor gradient = view_of(g.out(), 0, kept);
    for_floating("backward", gradient.dtype(), [&]<class T>() {
      map_add([s = static_cast<T>(scale)](const auto& d) { return d * s; }, g.in(0).shape(), view<T>(g.in(0)),
              view<const T>(gradient));
    });
  });
}

Tensor sum_over(const char* operation, const Tensor& x, int axis, bool keep, double scale) {
  axis = checked_axis(operation, x, axis);
  const Shape kept = x.shape().with(axis, 1);
  return sum_to(operation, x, kept, keep ? kept : x.shape().without(axis), scale);
}

Tensor sum_all(const char* operation, const Tensor& x, double scale) {
  Shape kept = x.shape();
  for (int axis = 0; axis < kept.rank(); ++axis) kept = kept.with(axis, 1);
  return sum_to(operation, x, kept, {}, scale);
}

double one_over(std::int64_t n, const Tensor& x) {
  if (n == 0) fail("mean", "there is nothing to average in ", x.shape());
  return 1.0 / static_cast<double>(n);
}

}  // namespace

Tensor sum(const Tensor& x) { return sum_all("sum", x, 1.0); }
Tensor sum(const Tensor& x, int axis, bool keep) { return sum_over("sum", x, axis, keep, 1.0); }
Tensor mean(const Tensor& x) { return sum_all("mean", x, one_over(x.numel(), x)); }
Tensor mean(const Tensor& x, int axis, bool keep) {
  return sum_over("mean", x, axis, keep, one_over(x.size(checked_axis("mean", x, axis)), x));
}

Tensor argmax(const Tensor& x) {
  const std::int64_t n = x.rank() == 0 ? 0 : x.size(-1);
  if (n == 0) fail("argmax", "the last axis of ", x.shape(), " is empty");
  Tensor y = empty(x.shape().without(-1), Dtype::i64);
  for_any(x.dtype(), [&]<class T>() {
    const T* row = raw<T>(x);
    for (std::int64_t r = 0; r < y.numel(); ++r, row += n) {
      std::int64_t best = 0;
      // `!(<=)` so that NaN wins, and a NaN that has won stays.
      for (std::int64_t i = 1; i < n && row[best] == row[best]; ++i) {
        if (!(row[i] <= row[best])) best = i;
      }
      raw<std::int64_t>(y)[r] = best;
    }
  });
  return y;
}

}  // namespace gradus
