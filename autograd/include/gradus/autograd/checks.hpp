#pragma once

#include <gradus/autograd/scope.hpp>
#include <gradus/autograd/tensor.hpp>

#pragma GCC visibility push(default)
/// Argument checks for operations and modules. Each check throws an Error with the operation's name.
namespace gradus {

inline void check_same_dtype(const char* operation, const Tensor& a, const Tensor& b) {
  if (a.dtype() == b.dtype()) return;
  fail(operation, a.shape(), " is ", name(a.dtype()), " and ", b.shape(), " is ", name(b.dtype()),
       "; convert one with .to(other.dtype())");
}

/// Checks that x is i64.
/// @param what the name of x in the message, for example "the lengths"
inline void check_integers(const char* operation, const char* what, const Tensor& x) {
  if (x.dtype() != Dtype::i64)
    fail(operation, what, " ", x.shape(), " must be i64, and is ", name(x.dtype()));
}

/// Checks the lengths of a batch's rows: shape (batch), i64, each in [0, limit]. Undefined lengths are valid:
/// they mean that every row has length `limit`.
inline void check_lengths(const char* operation, const Tensor& lengths, std::int64_t batch,
                          std::int64_t limit) {
  if (!lengths.defined()) return;
  check_integers(operation, "the lengths", lengths);
  if (lengths.shape() != Shape{batch}) {
    fail(operation, "the lengths are ", lengths.shape(), " and must be ", Shape{batch},
         ", one per row of the batch");
  }
  for (const std::int64_t length : lengths.values<std::int64_t>()) {
    if (length < 0 || length > limit) fail(operation, "length ", length, " is outside [0, ", limit, "]");
  }
}

/// The length of row `row`; `limit` if `lengths` is undefined.
inline std::int64_t length_of(const Tensor& lengths, std::int64_t row, std::int64_t limit) {
  return lengths.defined() ? lengths.values<std::int64_t>()[static_cast<std::size_t>(row)] : limit;
}

/// Returns `axis` counted from 0. A negative `axis` counts from the end. @throws Error when there is no such
/// axis.
inline int checked_axis(const char* operation, const Shape& shape, int axis) {
  if (axis >= -shape.rank() && axis < shape.rank()) return axis < 0 ? axis + shape.rank() : axis;
  fail(operation, "there is no axis ", axis, " in ", shape, "; it has ", shape.rank(),
       " axes, counted from 0");
}

}  // namespace gradus
#pragma GCC visibility pop
