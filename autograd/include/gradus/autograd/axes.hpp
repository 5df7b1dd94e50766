#pragma once

#include <gradus/autograd/shape.hpp>

#include <array>
#include <concepts>
#include <initializer_list>
#include <span>

#pragma GCC visibility push(default)
namespace gradus {

/// The axes over which an operation works, for example `1` or `{0, -1}`. A negative axis counts from the end.
/// `{}` means all axes.
class Axes {
 public:
  Axes() = default;
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Axes(T axis) : Axes({static_cast<int>(axis)}) {}  // NOLINT(google-explicit-constructor): sum(x, 1)
  /// @throws Error for more than Shape::max_rank axes.
  Axes(std::initializer_list<int> axes) : Axes(std::span(axes.begin(), axes.size())) {}
  explicit Axes(std::span<const int> axes);

  /// Element i of the result is true if axis i of `shape` is among these axes. @throws Error, naming the
  /// operation, if one of these axes does not exist in `shape` or is given twice.
  std::array<bool, Shape::max_rank> in(const char* operation, const Shape& shape) const;

 private:
  std::array<int, Shape::max_rank> axes_{};
  int count_ = 0;  // 0: all
};

}  // namespace gradus
#pragma GCC visibility pop
