#include "layout.hpp"

#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/tape.hpp>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "kernels/dispatch.hpp"
#include "kernels/gradient.hpp"
#include "kernels/lanes.hpp"
#include "memory/storage.hpp"

// Operations that copy values into another layout, and split().
namespace gradus {
namespace {

// Copies x into another layout of shape `shape`. seen() maps a view of x to a strided view in that layout.
template <class Seen>
Tensor rearranged(const char* operation, const Tensor& x, const Shape& shape, Seen seen) {
  Tensor y = empty(shape, x.dtype());
  for_any(operation, x.dtype(), [&]<class T>() { map(same, view<T>(y), seen(view<const T>(x))); });
  return record(operation, std::move(y), {x}, {}, typed([seen]<class T>(Gradients& g) {
                  g.accumulate(0, [&](const Tensor& at_x, int beta) {
                    const auto out = view<const T>(g.out());
                    if (beta == 0 && at_x.numel() == out.shape.numel())
                      return map(same, seen(view<T>(at_x)), out);
                    if (beta == 0) std::fill_n(raw<T>(at_x), at_x.numel(), T(0));
                    map_add(same, out.shape, seen(view<T>(at_x)), out);
                  });
                }));
}

// Adds the gradient of an input that fills elements [begin, begin + size) of the result's `axis`.
void add_part(Gradients& g, int input, int axis, std::int64_t begin, std::int64_t size) {
  const Lanes lanes(g.out().shape(), axis);
  if (lanes.outer == 1)
    return g.add(input, view_of(g.out(), begin * lanes.inner, g.out().shape().with(axis, size)));
  for_floating("backward", g.out().dtype(), [&]<class T>() {
    const auto part = view<const T>(g.out()).narrowed(axis, begin, size);
    add_gradient<T>(g, input, same, part.shape, part);
  });
}

Tensor permuted(const char* operation, const Tensor& x, const std::array<int, Shape::max_rank>& order) {
  Shape shape = x.shape();
  for (int axis = 0; axis < x.rank(); ++axis)
    shape = shape.with(axis, x.size(order[static_cast<std::size_t>(axis)]));
  return rearranged(operation, x, shape, [order](auto from) { return from.permuted(order); });
}

}  // namespace

Tensor transpose(const Tensor& x, int a, int b) {
  std::array<int, Shape::max_rank> order{};
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[static_cast<std::size_t>(checked_axis("transpose", x.shape(), a))],
            order[static_cast<std::size_t>(checked_axis("transpose", x.shape(), b))]);
  return permuted("transpose", x, order);
}

Tensor permute(const Tensor& x, std::span<const int> axes) {
  if (static_cast<int>(axes.size()) != x.rank())
    fail("permute", axes.size(), " axes were named, and ", x.shape(), " has ", x.rank(), "; name each once");
  std::array<int, Shape::max_rank> order{};
  std::array<bool, Shape::max_rank> named{};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    order[i] = checked_axis("permute", x.shape(), axes[i]);
    if (std::exchange(named[static_cast<std::size_t>(order[i])], true))
      fail("permute", "axis ", order[i], " of ", x.shape(), " is named twice; name each once");
  }
  return permuted("permute", x, order);
}

Tensor permute(const Tensor& x, std::initializer_list<int> axes) {
  return permute(x, std::span(axes.begin(), axes.size()));
}

Tensor slice_inside(const Tensor& x, int axis, std::int64_t begin, std::int64_t size) {
  return rearranged("slice", x, x.shape().with(axis, size),
                    [=](auto from) { return from.narrowed(axis, begin, size); });
}

Tensor flip(const Tensor& x, const Axes& axes) {
  const auto flipped = axes.in("flip", x.shape());
  return rearranged("flip", x, x.shape(), [flipped](auto from) {
    for (int axis = 0; axis < from.shape.rank(); ++axis)
      if (flipped[static_cast<std::size_t>(axis)]) from = from.flipped(axis);
    return from;
  });
}

Tensor expand(const Tensor& x, const Shape& shape) {
  if (broadcast("expand", x.shape(), shape) != shape) {
    fail("expand", x.shape(), " cannot be stretched to ", shape, ": only axes of size 1 stretch");
  }
  return rearranged("expand", x, shape, [shape](auto from) { return from.expanded(shape); });
}

Tensor pad(const Tensor& x, int axis, std::int64_t before, std::int64_t after, double value) {
  axis = checked_axis("pad", x.shape(), axis);
  if (before < 0 || after < 0)
    fail("pad", "cannot add ", before, " elements before and ", after,
         " after; use slice() to remove elements");
  const std::int64_t n = x.size(axis);
  std::int64_t padded = 0;
  if (__builtin_add_overflow(before, after, &padded) || __builtin_add_overflow(padded, n, &padded))
    fail("pad", before, " and ", after, " more elements cannot be counted in 64 bits");
  Tensor y = full(x.shape().with(axis, padded), value, x.dtype());
  for_any("pad", x.dtype(),
          [&]<class T>() { map(same, view<T>(y).narrowed(axis, before, n), view<const T>(x)); });
  return record("pad", y, {x}, {}, [=](Gradients& g) { add_part(g, 0, axis, before, n); });
}

Tensor concat(std::span<const Tensor> parts, int axis) {
  if (parts.empty()) fail("concat", "needs at least one tensor");
  const Tensor& first = parts.front();
  axis = checked_axis("concat", first.shape(), axis);
  std::vector<std::int64_t> begins;
  begins.reserve(parts.size() + 1);
  begins.push_back(0);
  for (const Tensor& part : parts) {
    if (part.rank() != first.rank() || part.shape().with(axis, 0) != first.shape().with(axis, 0)) {
      fail("concat", first.shape(), " and ", part.shape(), " may differ only on axis ", axis);
    }
    check_same_dtype("concat", first, part);
    std::int64_t end = 0;
    if (__builtin_add_overflow(begins.back(), part.size(axis), &end))
      fail("concat", "the parts cannot be counted in 64 bits");
    begins.push_back(end);
  }
  Tensor y = empty(first.shape().with(axis, begins.back()), first.dtype());
  for_any("concat", y.dtype(), [&]<class T>() {
    const Lanes lanes(y.shape(), axis);
    const std::int64_t row = lanes.n * lanes.inner, count = std::ssize(parts);
    for_each_row(lanes.outer * count, row / count, [&, to = raw<T>(y)](std::int64_t k) {
      const std::int64_t r = k / count;
      const auto i = static_cast<std::size_t>(k % count);
      const std::int64_t size = (begins[i + 1] - begins[i]) * lanes.inner;
      std::copy_n(raw<T>(parts[i]) + r * size, size, to + r * row + begins[i] * lanes.inner);
    });
  });
  return record("concat", std::move(y), parts, {}, [axis, begins = std::move(begins)](Gradients& g) {
    for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
      const int input = static_cast<int>(i);
      if (g.wants(input)) add_part(g, input, axis, begins[i], begins[i + 1] - begins[i]);
    }
  });
}

Tensor concat(std::initializer_list<Tensor> parts, int axis) {
  return concat(std::span<const Tensor>(parts.begin(), parts.size()), axis);
}

Tensor stack(std::span<const Tensor> parts, int axis) {
  if (parts.empty()) fail("stack", "needs at least one tensor");
  const int rank = parts.front().rank();
  if (axis < -rank - 1 || axis > rank)
    fail("stack", "there is no place ", axis, " for a new axis in ", parts.front().shape(), "; there are ",
         rank + 1, ", counted from 0");
  std::vector<Tensor> slices;
  for (const Tensor& part : parts) {
    check_same_dtype("stack", parts.front(), part);
    if (part.shape() != parts.front().shape()) {
      fail("stack", "the shapes must be equal, and are ", parts.front().shape(), " and ", part.shape());
    }
    slices.push_back(unsqueeze(part, axis));
  }
  return concat(slices, axis);
}

Tensor stack(std::initializer_list<Tensor> parts, int axis) {
  return stack(std::span<const Tensor>(parts.begin(), parts.size()), axis);
}

std::vector<Tensor> split(const Tensor& x, std::span<const std::int64_t> sizes, int axis) {
  axis = checked_axis("split", x.shape(), axis);
  std::int64_t total = 0;
  for (const std::int64_t size : sizes) {
    if (size < 0) fail("split", "a part cannot have ", size, " elements");
    if (__builtin_add_overflow(total, size, &total)) fail("split", "the parts cannot be counted in 64 bits");
  }
  if (total != x.size(axis)) {
    fail("split", "the parts have ", total, " elements together, and axis ", axis, " of ", x.shape(), " has ",
         x.size(axis));
  }
  std::vector<Tensor> parts;
  std::int64_t begin = 0;
  for (const std::int64_t size : sizes) {
    parts.push_back(x.slice(begin, begin + size, axis));
    begin += size;
  }
  return parts;
}

std::vector<Tensor> split(const Tensor& x, std::initializer_list<std::int64_t> sizes, int axis) {
  return split(x, std::span(sizes.begin(), sizes.size()), axis);
}

}  // namespace gradus
