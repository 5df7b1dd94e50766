#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus {

/// The sizes of a tensor's axes, outermost first. Rank 0 is a scalar. In the argument of reshape(), one size
/// may be −1, and is then inferred; no tensor has a size of −1. A Shape is stored inline, without allocation.
class Shape {
 public:
  static constexpr int max_rank = 8;

  Shape() = default;
  /// @throws Error for more than max_rank axes, a size below −1, two sizes of −1, or 2⁶⁰ elements or more. In
  /// this count, a size of 0 or −1 counts as 1.
  Shape(std::initializer_list<std::int64_t> sizes);
  explicit Shape(std::span<const std::int64_t> sizes);

  int rank() const { return rank_; }
  /// The number of elements: the product of the sizes, 1 for a scalar. @throws Error when a size is −1.
  std::int64_t numel() const {
    std::int64_t product = 1;
    for (const std::int64_t size : *this) product *= size;
    if (product <= 0) check_known();
    return product;
  }
  /// The size of an axis; a negative axis counts from the end.
  /// @throws Error when there is no such axis.
  std::int64_t operator[](int axis) const { return sizes_[static_cast<std::size_t>(axis_index(axis))]; }
  /// Returns `axis` counted from 0. A negative `axis` counts from the end.
  /// @throws Error when there is no such axis.
  int axis_index(int axis) const {
    if (axis < -rank_ || axis >= rank_) fail_axis(axis);
    return axis < 0 ? axis + rank_ : axis;
  }

  const std::int64_t* begin() const { return sizes_.data(); }
  const std::int64_t* end() const { return sizes_.data() + rank_; }

  /// with() replaces the size of one axis, without() removes an axis, inserted() inserts a new axis before
  /// `axis`.
  Shape with(int axis, std::int64_t size) const;
  Shape without(int axis) const;
  Shape inserted(int axis, std::int64_t size) const;

  /// The index of the element at row-major position `element`. In shape (2, 3), position 5 has index [1, 2].
  std::vector<std::int64_t> index_of(std::int64_t element) const;

  bool operator==(const Shape& other) const {
    if (rank_ != other.rank_) return false;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(rank_); ++axis)
      if (sizes_[axis] != other.sizes_[axis]) return false;
    return true;
  }

  /// "(2, 3)"; "()" for a scalar.
  std::string text() const;

 private:
  void check() const;
  void check_known() const;
  [[noreturn]] void fail_axis(int axis) const;

  std::array<std::int64_t, max_rank> sizes_{};
  int rank_ = 0;
};

std::ostream& operator<<(std::ostream& out, const Shape& shape);

/// The shape to which both shapes broadcast: axes are matched from the last, and an axis of size 1 is
/// stretched (NumPy's rule).
/// @throws Error naming the operation, both shapes and the axis, when the shapes do not match.
Shape broadcast(const char* operation, const Shape& a, const Shape& b);

}  // namespace gradus
#pragma GCC visibility pop
