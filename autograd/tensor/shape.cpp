#include <gradus/autograd/scope.hpp>
#include <gradus/autograd/shape.hpp>

#include <algorithm>
#include <ostream>
#include <sstream>

namespace gradus {

Shape::Shape(std::initializer_list<std::int64_t> sizes)
    : Shape(std::span<const std::int64_t>(sizes.begin(), sizes.size())) {}

Shape::Shape(std::span<const std::int64_t> sizes) {
  if (sizes.size() > max_rank) {
    fail("Shape", sizes.size(), " axes are too many: a tensor has at most ", max_rank);
  }
  for (const std::int64_t size : sizes) {
    sizes_[static_cast<std::size_t>(rank_++)] = size;
  }
  check();
}

void Shape::check() const {
  std::int64_t bytes = 8;  // size of the largest element type
  int unknown = rank_;
  for (int axis = 0; axis < rank_; ++axis) {
    const std::int64_t size = sizes_[static_cast<std::size_t>(axis)];
    if (size < -1) fail("Shape", "axis ", axis, " has the negative size ", size);
    if (size == -1 && unknown < axis)
      fail("Shape", "axes ", unknown, " and ", axis, " are both -1; reshape() can infer one size");
    if (size == -1) unknown = axis;
    // A size of 0 counts as 1: strides are products of the other sizes, and must not overflow either.
    if (__builtin_mul_overflow(bytes, std::max<std::int64_t>(size, 1), &bytes)) {
      fail("Shape", text(), " is too large: its elements cannot be counted in 64 bits");
    }
  }
}

void Shape::check_known() const {
  const auto unknown = std::find(begin(), end(), -1);
  if (unknown != end()) fail("Shape", "axis ", unknown - begin(), " has the negative size -1");
}

void Shape::fail_axis(int axis) const {
  fail("Shape", "no axis ", axis, " in ", text(), ", which has ", rank_, rank_ == 1 ? " axis" : " axes");
}

Shape Shape::with(int axis, std::int64_t size) const {
  Shape result = *this;
  result.sizes_[static_cast<std::size_t>(axis_index(axis))] = size;
  result.check();
  return result;
}

Shape Shape::without(int axis) const {
  Shape result = *this;
  const auto gap = result.sizes_.begin() + axis_index(axis);
  std::move(gap + 1, result.sizes_.begin() + rank_, gap);
  result.sizes_[static_cast<std::size_t>(--result.rank_)] = 0;
  return result;
}

Shape Shape::inserted(int axis, std::int64_t size) const {
  if (rank_ == max_rank) fail("Shape", "no room for one more axis in ", text());
  if (axis < 0 || axis > rank_) fail("Shape", "no place ", axis, " for a new axis in ", text());
  Shape result = *this;
  const auto gap = result.sizes_.begin() + axis;
  std::move_backward(gap, result.sizes_.begin() + rank_, result.sizes_.begin() + rank_ + 1);
  *gap = size;
  ++result.rank_;
  result.check();
  return result;
}

std::vector<std::int64_t> Shape::index_of(std::int64_t element) const {
  std::vector<std::int64_t> index(static_cast<std::size_t>(rank_));
  for (int axis = rank_ - 1; axis >= 0; --axis) {
    index[static_cast<std::size_t>(axis)] = element % (*this)[axis];
    element /= (*this)[axis];
  }
  return index;
}

std::string Shape::text() const {
  std::ostringstream out;
  out << '(';
  for (int axis = 0; axis < rank_; ++axis) out << (axis > 0 ? ", " : "") << (*this)[axis];
  out << ')';
  return out.str();
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << shape.text(); }

Shape broadcast(const char* operation, const Shape& a, const Shape& b) {
  if (a == b) return a;
  const Shape& longer = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  Shape result = longer;
  for (int axis = -1; axis >= -shorter.rank(); --axis) {
    const std::int64_t x = longer[axis];
    const std::int64_t y = shorter[axis];
    if (x != y && x != 1 && y != 1) {
      fail(operation, "shapes ", a, " and ", b, " do not match at axis ", axis, " (", a[axis], " and ",
           b[axis], "): sizes must be equal, or one of them 1");
    }
    result = result.with(axis, x == 1 ? y : x);
  }
  return result;
}

}  // namespace gradus
