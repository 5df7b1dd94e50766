#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/tape.hpp>

#include <algorithm>

#include "layout.hpp"
#include "memory/storage.hpp"

// Operations whose results are views. On axes after the first, slice() copies.
namespace gradus {
namespace {

// A view of x with this shape, starting at element `offset`.
Tensor part(const char* operation, const Tensor& x, std::int64_t offset, const Shape& shape) {
  return record(operation, view_of(x, offset, shape), {x}, {},
                [offset, shape, whole = x.shape()](Gradients& g) {
                  if (shape.numel() == whole.numel()) return g.add(0, view_of(g.out(), 0, whole));
                  add_in_place(view_of(g.in(0), offset, shape), g.out());
                });
}

// The shape `to`, with −1 replaced by the inferred size.
Shape known(const Shape& to, const Tensor& x) {
  const auto unknown = std::find(to.begin(), to.end(), -1);
  if (unknown == to.end()) return to;
  const int axis = static_cast<int>(unknown - to.begin());
  const std::int64_t others = to.with(axis, 1).numel();
  if (others == 0 || x.numel() % others != 0) {
    fail("reshape", "cannot infer -1 in ", to, ": ", x.shape(), " has ", x.numel(),
         " elements, and the other sizes give ", others);
  }
  return to.with(axis, x.numel() / others);
}

}  // namespace

Tensor Tensor::reshape(const Shape& sizes) const {
  const Shape to = known(sizes, *this);
  if (to.numel() != numel()) {
    fail("reshape", shape(), " has ", numel(), " elements and cannot become ", to, ", which has ",
         to.numel());
  }
  return part("reshape", *this, 0, to);
}

Tensor Tensor::operator[](std::int64_t i) const {
  if (rank() == 0) fail("index", "a scalar has no axis to index");
  const std::int64_t n = size(0);
  if (i < -n || i >= n) fail("index", "no element ", i, " on axis 0 of ", shape(), ", which has ", n);
  const Shape element = shape().without(0);
  return part("index", *this, (i < 0 ? i + n : i) * element.numel(), element);
}

Tensor Tensor::slice(std::int64_t begin, std::int64_t end, int axis) const {
  axis = checked_axis("slice", shape(), axis);
  const std::int64_t n = size(axis);
  const std::int64_t from = begin < 0 ? begin + n : begin, to = end < 0 ? end + n : end;
  if (from < 0 || to < from || to > n) {
    fail("slice", "[", begin, ", ", end, ") is not within axis ", axis, " of ", shape(), ", which is [0, ", n,
         ")");
  }
  if (axis > 0) return slice_inside(*this, axis, from, to - from);
  return part("slice", *this, from * shape().without(0).numel(), shape().with(0, to - from));
}

Tensor squeeze(const Tensor& x, int axis) {
  axis = checked_axis("squeeze", x.shape(), axis);
  if (x.size(axis) != 1)
    fail("squeeze", "axis ", axis, " of ", x.shape(), " has ", x.size(axis), " elements; it must have one");
  return part("squeeze", x, 0, x.shape().without(axis));
}

Tensor unsqueeze(const Tensor& x, int axis) {
  if (axis < -x.rank() - 1 || axis > x.rank()) {
    fail("unsqueeze", "there is no place ", axis, " for a new axis in ", x.shape(), "; there are ",
         x.rank() + 1, ", counted from 0");
  }
  return part("unsqueeze", x, 0, x.shape().inserted(axis < 0 ? axis + x.rank() + 1 : axis, 1));
}

}  // namespace gradus
