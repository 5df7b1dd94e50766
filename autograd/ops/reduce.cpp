#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/tape.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "kernels/dispatch.hpp"
#include "kernels/extreme.hpp"
#include "kernels/gradient.hpp"
#include "kernels/lanes.hpp"
#include "kernels/map.hpp"
#include "kernels/ranges.hpp"
#include "memory/storage.hpp"

namespace gradus {
namespace {

// Shapes of a reduction of x over some axes.
struct Reduction {
  Shape kept;          // x's shape, with size 1 for reduced axes
  Shape result;        // `kept`, or x's shape without the reduced axes
  std::int64_t n = 1;  // number of elements reduced to one result

  Reduction(const char* operation, const Tensor& x, const Axes& axes, bool keep) : kept(x.shape()) {
    const auto reduced = axes.in(operation, x.shape());
    result = kept;
    for (int axis = x.rank() - 1; axis >= 0; --axis) {
      if (!reduced[static_cast<std::size_t>(axis)]) continue;
      n *= x.size(axis);
      kept = kept.with(axis, 1);
      result = keep ? result.with(axis, 1) : result.without(axis);
    }
  }
};

template <class T>
void scale(const Tensor& x, double factor) {
  map([s = static_cast<T>(factor)](T v) { return v * s; }, view<T>(x), view<const T>(x));
}

// factor · Σ f(x…), of shape over.kept. Long sums are accumulated in double, because the rounding error of an
// f32 sum grows with the number of terms.
template <class T, class F, class... X>
Tensor summed(const Reduction& over, double factor, F f, const Shape& shape, const X&... x) {
  constexpr std::int64_t long_sum = 1024;
  if (std::is_same_v<T, float> && over.n > long_sum) {
    const Tensor wide = zeros(over.kept, Dtype::f64);
    map_add(f, shape, view<double>(wide), view<const T>(x)...);
    scale<double>(wide, factor);
    return wide.to(dtype_of<T>);
  }
  Tensor y = zeros(over.kept, dtype_of<T>);
  map_add(f, shape, view<T>(y), view<const T>(x)...);
  if (factor != 1) scale<T>(y, factor);
  return y;
}

// factor · Σ x.
Tensor scaled_sum(const char* operation, const Tensor& x, const Reduction& over, double factor) {
  const Tensor y = for_floating(operation, x.dtype(),
                                [&]<class T>() { return summed<T>(over, factor, same, x.shape(), x); });
  return record(operation, view_of(y, 0, over.result), {x}, {},
                typed([over = x.shape(), kept = over.kept, factor]<class T>(Gradients& g) {
                  add_gradient<T>(
                      g, 0, [s = static_cast<T>(factor)](T d) { return d * s; }, over,
                      view<const T>(view_of(g.out(), 0, kept)));
                }));
}

// The axes of x in order, with the reduced axes moved to the end.
std::vector<int> reduced_last(const char* operation, const Tensor& x, const Axes& axes) {
  const auto reduced = axes.in(operation, x.shape());
  std::vector<int> order;
  for (const bool last : {false, true}) {
    for (int axis = 0; axis < x.rank(); ++axis) {
      if (reduced[static_cast<std::size_t>(axis)] == last) order.push_back(axis);
    }
  }
  return order;
}

// A contiguous copy of x with its axes in `order`; x itself if its axes already have this order.
template <class T>
Tensor in_order(const Tensor& x, const std::vector<int>& order) {
  if (std::ranges::is_sorted(order)) return x;
  const View<const T> permuted = view<const T>(x).permuted(order);
  Tensor y = empty(permuted.shape, x.dtype());
  map(same, view<T>(y), permuted);
  return y;
}

// The largest or smallest elements of x along the reduced axes, of shape over.kept. NaN if an element is NaN.
template <class T>
Tensor extremes(const Tensor& x, const std::vector<int>& order, const Reduction& over, bool largest) {
  const Tensor rows = in_order<T>(x, order);
  Tensor y = empty(over.kept, x.dtype());
  for_each_range(y.numel(), over.n, [&](std::int64_t begin, std::int64_t end) {
    const T* const from = raw<T>(rows) + begin * over.n;
    T* const to = raw<T>(y) + begin;
    largest ? kernels::extremes<true>(end - begin, over.n, from, to)
            : kernels::extremes<false>(end - begin, over.n, from, to);
  });
  return y;
}

Tensor extreme_of(const char* operation, const Tensor& x, const Axes& axes, bool keep, bool largest) {
  const Reduction over(operation, x, axes, keep);
  if (over.n == 0) fail(operation, "there is nothing to choose from in ", x.shape());
  const std::vector<int> order = reduced_last(operation, x, axes);
  const Tensor y =
      for_floating(operation, x.dtype(), [&]<class T>() { return extremes<T>(x, order, over, largest); });
  const auto backward = typed([order, n = over.n]<class T>(Gradients& g) {
    const Tensor rows = in_order<T>(g.saved(0), order);
    const auto write = [&](T beta, T* at_rows) {
      for_each_range(g.out().numel(), n, [&](std::int64_t begin, std::int64_t end) {
        kernels::extremes_backward(end - begin, n, raw<T>(rows) + begin * n, raw<T>(g.saved(1)) + begin,
                                   raw<T>(g.out()) + begin, beta, at_rows + begin * n);
      });
    };
    g.accumulate(0, [&](const Tensor& at_x, int beta) {
      if (std::ranges::is_sorted(order)) return write(T(beta), raw<T>(at_x));
      const Tensor at_rows = empty(rows.shape(), rows.dtype());
      write(0, raw<T>(at_rows));
      const View<T> target = view<T>(at_x).permuted(order);
      if (beta == 0) return map(same, target, view<const T>(at_rows));
      map_add(same, rows.shape(), target, view<const T>(at_rows));
    });
  });
  return record(operation, view_of(y, 0, over.result), {x}, {x, y}, backward);
}

}  // namespace

Tensor sum(const Tensor& x, const Axes& axes, bool keep) {
  return scaled_sum("sum", x, Reduction("sum", x, axes, keep), 1);
}

Tensor mean(const Tensor& x, const Axes& axes, bool keep) {
  const Reduction over("mean", x, axes, keep);
  if (over.n == 0) fail("mean", "there is nothing to average in ", x.shape());
  return scaled_sum("mean", x, over, 1.0 / static_cast<double>(over.n));
}

Tensor variance(const Tensor& x, const Axes& axes, bool keep, int correction) {
  const Reduction over("variance", x, axes, keep);
  if (over.n <= correction) {
    fail("variance", over.n, " elements of ", x.shape(), " are too few for a correction of ", correction,
         "; lower the correction");
  }
  Tensor y, mean;
  const double divisor = static_cast<double>(over.n - correction);
  for_floating("variance", x.dtype(), [&]<class T>() {
    mean = summed<T>(over, 1.0 / static_cast<double>(over.n), same, x.shape(), x);
    const auto square = [](T v, T m) { return (v - m) * (v - m); };
    y = summed<T>(over, 1.0 / divisor, square, x.shape(), x, mean);
  });
  return record("variance", view_of(y, 0, over.result), {x}, {x, mean},
                typed([divisor]<class T>(Gradients& g) {
                  const T factor = static_cast<T>(2 / divisor);
                  add_gradient<T>(
                      g, 0, [factor](T d, T v, T m) { return d * factor * (v - m); }, g.saved(0).shape(),
                      view<const T>(view_of(g.out(), 0, g.saved(1).shape())), view<const T>(g.saved(0)),
                      view<const T>(g.saved(1)));
                }));
}

Tensor max(const Tensor& x, const Axes& axes, bool keep) { return extreme_of("max", x, axes, keep, true); }

Tensor min(const Tensor& x, const Axes& axes, bool keep) { return extreme_of("min", x, axes, keep, false); }

Tensor logsumexp(const Tensor& x, const Axes& axes, bool keep) {
  const Reduction over("logsumexp", x, axes, keep);
  Tensor y;
  for_floating("logsumexp", x.dtype(), [&]<class T>() {
    const Tensor shift = over.n == 0 ? full(over.kept, -std::numeric_limits<double>::infinity(), x.dtype())
                                     : extremes<T>(x, reduced_last("logsumexp", x, axes), over, true);
    // Replaces an infinite shift by 0, because ∞ − ∞ is NaN.
    map([](T m) { return std::isinf(m) ? T(0) : m; }, view<T>(shift), view<const T>(shift));
    y = summed<T>(over, 1, [](T v, T m) { return math::exp(v - m); }, x.shape(), x, shift);
    map([](T s, T m) { return std::log(s) + m; }, view<T>(y), view<const T>(y), view<const T>(shift));
  });
  return record("logsumexp", view_of(y, 0, over.result), {x}, {x, y}, typed([]<class T>(Gradients& g) {
                  const auto derivative = [](T d, T v, T total) {
                    return total == -std::numeric_limits<T>::infinity() ? T(0) : d * math::exp(v - total);
                  };
                  add_gradient<T>(g, 0, derivative, g.saved(0).shape(),
                                  view<const T>(view_of(g.out(), 0, g.saved(1).shape())),
                                  view<const T>(g.saved(0)), view<const T>(g.saved(1)));
                }));
}

Tensor argmax(const Tensor& x, int axis, bool keep) {
  axis = checked_axis("argmax", x.shape(), axis);
  const Lanes lanes(x.shape(), axis);
  if (lanes.n == 0) fail("argmax", "axis ", axis, " of ", x.shape(), " is empty");
  Tensor y = empty(keep ? x.shape().with(axis, 1) : x.shape().without(axis), Dtype::i64);
  for_any("argmax", x.dtype(), [&]<class T>() {
    lanes.for_each([&](std::int64_t k, std::int64_t first) {
      const T* lane = raw<T>(x) + first;
      std::int64_t best = 0;
      // `!(a <= b)` is true if a is NaN, so a NaN becomes the best element. The loop then ends, because a NaN
      // is unequal to itself.
      for (std::int64_t i = 1; i < lanes.n && lane[best * lanes.inner] == lane[best * lanes.inner]; ++i) {
        if (!(lane[i * lanes.inner] <= lane[best * lanes.inner])) best = i;
      }
      raw<std::int64_t>(y)[k] = best;
    });
  });
  return y;
}

}  // namespace gradus
