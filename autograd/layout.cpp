#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/tape.hpp>

#include <algorithm>

#include "kernels/dispatch.hpp"
#include "kernels/map.hpp"
#include "storage.hpp"

namespace gradus {
namespace {

// to = from, or to += from, for views of one shape and any strides.
template <class T>
void copy(View<T> to, View<const T> from) {
  map(same, to, from);
}
template <class T>
void add(View<T> to, View<const T> from) {
  map_add(same, from.shape, to, from);
}

// A part of x that shares its values: the elements of `shape` from `offset` on.
Tensor part(const char* operation, const Tensor& x, std::int64_t offset, const Shape& shape) {
  return record(operation, view_of(x, offset, shape), {x}, [offset, shape](Gradients& g) {
    Tensor target = view_of(g.in(0), offset, shape);
    add_in_place(target, g.out());
  });
}

}  // namespace

Tensor Tensor::reshape(const Shape& to) const {
  if (to.numel() != numel()) {
    fail("reshape", shape(), " has ", numel(), " elements and cannot become ", to, ", which has ",
         to.numel());
  }
  return part("reshape", *this, 0, to);
}

Tensor Tensor::reshape(std::initializer_list<std::int64_t> sizes) const {
  std::vector<std::int64_t> known(sizes);
  const auto unknown = std::find(known.begin(), known.end(), -1);
  if (unknown == known.end()) return reshape(Shape(std::span<const std::int64_t>(known)));
  *unknown = 1;
  const std::int64_t others = Shape(std::span<const std::int64_t>(known)).numel();
  if (others == 0 || numel() % others != 0) {
    fail("reshape", shape(), " has ", numel(), " elements, which the other sizes (", others,
         " elements together) do not divide, so that -1 cannot be worked out");
  }
  *unknown = numel() / others;
  return reshape(Shape(std::span<const std::int64_t>(known)));
}

Tensor Tensor::operator[](std::int64_t i) const {
  if (rank() == 0) fail("index", "a scalar has no axis to index");
  const std::int64_t n = size(0);
  if (i < -n || i >= n) fail("index", "no element ", i, " on axis 0 of ", shape(), ", which has ", n);
  const Shape element = shape().without(0);
  return part("index", *this, (i < 0 ? i + n : i) * element.numel(), element);
}

Tensor Tensor::slice(std::int64_t begin, std::int64_t end) const {
  if (rank() == 0) fail("slice", "a scalar has no axis to slice");
  if (begin < 0 || end < begin || end > size(0)) {
    fail("slice", "[", begin, ", ", end, ") is no part of axis 0 of ", shape(), ", which is [0, ", size(0),
         ")");
  }
  return part("slice", *this, begin * shape().without(0).numel(), shape().with(0, end - begin));
}

Tensor transpose(const Tensor& x, int a, int b) {
  a = checked_axis("transpose", x, a);
  b = checked_axis("transpose", x, b);
  Tensor y = empty(x.shape().with(a, x.size(b)).with(b, x.size(a)), x.dtype());
  for_any(x.dtype(), [&]<class T>() { copy(view<T>(y), view<const T>(x).transposed(a, b)); });
  return record("transpose", y, {x}, [a, b](Gradients& g) {
    for_floating("transpose", g.out().dtype(),
                 [&]<class T>() { add(view<T>(g.in(0)), view<const T>(g.out()).transposed(a, b)); });
  });
}

Tensor narrow(const Tensor& x, int axis, std::int64_t begin, std::int64_t size) {
  axis = checked_axis("narrow", x, axis);
  if (begin < 0 || size < 0 || size > x.size(axis) - begin) {
    fail("narrow", size, " elements from ", begin, " on are no part of axis ", axis, " of ", x.shape(),
         ", which is [0, ", x.size(axis), ")");
  }
  Tensor y = empty(x.shape().with(axis, size), x.dtype());
  for_any(x.dtype(), [&]<class T>() { copy(view<T>(y), view<const T>(x).narrowed(axis, begin, size)); });
  return record("narrow", y, {x}, [axis, begin, size](Gradients& g) {
    for_floating("narrow", g.out().dtype(), [&]<class T>() {
      add(view<T>(g.in(0)).narrowed(axis, begin, size), view<const T>(g.out()));
    });
  });
}

Tensor concat(std::span<const Tensor> parts, int axis) {
  if (parts.empty()) fail("concat", "needs at least one tensor");
  const Tensor& first = parts.front();
  axis = checked_axis("concat", first, axis);
  std::int64_t total = 0;
  for (const Tensor& part : parts) {
    if (part.rank() != first.rank() || part.shape().with(axis, 0) != first.shape().with(axis, 0)) {
      fail("concat", first.shape(), " and ", part.shape(), " differ elsewhere than on axis ", axis);
    }
    check_same_dtype("concat", first, part);
    total += part.size(axis);
  }
  Tensor y = empty(first.shape().with(axis, total), first.dtype());
  std::int64_t begin = 0;
  for (const Tensor& part : parts) {
    for_any(y.dtype(),
            [&]<class T>() { copy(view<T>(y).narrowed(axis, begin, part.size(axis)), view<const T>(part)); });
    begin += part.size(axis);
  }
  std::vector<std::int64_t> sizes;
  for (const Tensor& part : parts) sizes.push_back(part.size(axis));
  return record("concat", y, parts, [axis, sizes = std::move(sizes)](Gradients& g) {
    std::int64_t at = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (g.wants(static_cast<int>(i))) {
        for_floating("concat", g.out().dtype(), [&]<class T>() {
          add(view<T>(g.in(static_cast<int>(i))), view<const T>(g.out()).narrowed(axis, at, sizes[i]));
        });
      }
      at += sizes[i];
    }
  });
}

Tensor concat(std::initializer_list<Tensor> parts, int axis) {
  return concat(std::span<const Tensor>(parts.begin(), parts.size()), axis);
}

Tensor stack(std::span<const Tensor> parts) {
  if (parts.empty()) fail("stack", "needs at least one tensor");
  std::vector<Tensor> rows;
  for (const Tensor& part : parts) {
    if (part.shape() != parts.front().shape()) {
      fail("stack", "the shapes must be equal, and are ", parts.front().shape(), " and ", part.shape());
    }
    rows.push_back(part.reshape(part.shape().inserted(0, 1)));
  }
  return concat(rows, 0);
}

Tensor expand(const Tensor& x, const Shape& shape) {
  if (broadcast("expand", x.shape(), shape) != shape) {
    fail("expand", x.shape(), " cannot be stretched to ", shape, ": only axes of size 1 stretch");
  }
  Tensor y = empty(shape, x.dtype());
  for_any(x.dtype(), [&]<class T>() { map(same, view<T>(y), view<const T>(x)); });
  return record("expand", y, {x}, [](Gradients& g) { add_in_place(g.in(0), g.out()); });
}

}  // namespace gradus
