#pragma once

#include <gradus/autograd/dtype.hpp>
#include <gradus/autograd/intrusive.hpp>
#include <gradus/autograd/nested.hpp>
#include <gradus/autograd/shape.hpp>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus {

struct TensorImpl;  // internal
void retain(TensorImpl* impl);
void release(TensorImpl* impl);

/// A multi-dimensional array of f32, f64 or i64. The tape can record the operations on it.
///
/// A Tensor is a handle: copies share values and gradient. Values are contiguous and row-major. `reshape` and
/// slices of the leading axis are views, so the steps of a time-major (T, B, H) sequence are not copied.
class Tensor {
 public:
  /// An undefined tensor: `defined()` is false.
  Tensor() = default;

  bool defined() const { return static_cast<bool>(impl_); }
  const Shape& shape() const;
  int rank() const { return shape().rank(); }
  /// The size of one axis; a negative axis counts from the end.
  std::int64_t size(int axis) const { return shape()[axis]; }
  std::int64_t numel() const { return shape().numel(); }
  Dtype dtype() const;

  /// The values, row-major. @throws Error when T is not the tensor's dtype.
  template <class T>
  std::span<const T> values() const;
  /// The values, writable. Each call counts as one in-place change. If the backward pass of an operation
  /// recorded before the call needs the old values, backward() throws. Its message names `by`, a string
  /// literal, as the cause. Do not keep the span: later writes through it are not detected.
  template <class T>
  std::span<T> mutable_values(const char* by = "mutable_values");
  /// A copy of the values, converted to T. Conversion to std::int64_t truncates.
  /// @throws Error when NaN or a number outside the range of i64 is converted to i64.
  template <class T>
  std::vector<T> to_vector() const;
  /// The value of a tensor with one element. @throws Error for any other number of elements.
  double item() const;

  /// True if operations on this tensor are recorded: for a leaf after set_requires_grad(), and for the result
  /// of a recorded operation.
  bool requires_grad() const;
  /// Sets whether operations on this leaf are recorded. A leaf is a tensor that is not the result of a
  /// recorded operation. Switching a leaf off clears its gradient, but keeps its hooks. If the leaf is
  /// switched on again, backward() also adds the gradients of operations recorded before it was switched
  /// off. Returns this tensor.
  /// @throws Error for the result of a recorded operation, and for an i64 tensor if `on`.
  Tensor& set_requires_grad(bool on = true);
  /// d(loss)/d(this), summed over all calls of `backward()`. Undefined before the first call that reaches
  /// this tensor. Results of operations keep a gradient only after `retain_grad()`.
  Tensor grad() const;
  void set_grad(const Tensor& gradient);  ///< replaces grad(); an undefined tensor clears it
  void zero_grad() { set_grad(Tensor()); }
  void retain_grad();

  /// Calls `hook` with the complete d(loss)/d(this) in every backward() and gradus::grad(), before the
  /// gradient is propagated further. If `hook` returns a defined tensor, that tensor replaces the gradient.
  /// @return a number for remove_hook. @throws Error when requires_grad() is false. backward() throws when
  /// the replacement's shape or dtype differs from this tensor's.
  int add_hook(std::function<Tensor(const Tensor& gradient)> hook);
  /// Removes the hook with this number, if there is one.
  void remove_hook(int number);

  /// Adds d(this)/d(leaf) to the gradient of every leaf from which this tensor was computed. Frees the
  /// recorded operations along the way unless `retain_graph` is set. If backward() throws, no gradient has
  /// changed, but part of the tape may be freed.
  /// @throws Error when this tensor does not have exactly one element or requires no gradient, when the tape
  /// was freed by an earlier backward(), when a value that the tape needs was changed in place, and when a
  /// value on the tape was computed from a gradient, because second derivatives are out of scope.
  void backward(bool retain_graph = false) const;
  /// As above, for a tensor of any shape: starts from `gradient` = d(loss)/d(this), and adds d(loss)/d(leaf)
  /// to the gradient of every leaf. Also throws Error when the shape or dtype of `gradient` differs from this
  /// tensor's.
  void backward(const Tensor& gradient, bool retain_graph = false) const;
  void backward(double) const = delete;  // a number would convert to retain_graph

  /// Replaces this leaf's values, shape and dtype by those of `values`, without a copy. All handles to the
  /// leaf see the change. Clears the leaf's gradient.
  /// @throws Error if this tensor is the result of a recorded operation, or if it requires a gradient and
  /// `values` is i64.
  void replace(const Tensor& values);

  /// A view of this tensor's values that is not on the tape.
  /// Gradient: none.
  Tensor detach() const;
  /// A copy of this tensor's values that is not on the tape.
  /// Gradient: none.
  Tensor clone() const;
  /// The values, converted to `dtype`. Conversion to i64 truncates. Returns this tensor if it already has
  /// that dtype.
  /// Gradient: g, converted back; none if either dtype is i64. @throws Error when NaN or a number outside the
  /// range of i64 is converted to i64.
  Tensor to(Dtype dtype) const;

  /// Element i of the leading axis: a view without that axis. A negative i counts from the end.
  /// Gradient: g at that element, 0 elsewhere. @throws Error for i out of range.
  Tensor operator[](std::int64_t i) const;
  /// Elements [begin, end) of an axis; negative bounds count from the end. The result is a view for the
  /// leading axis, and a copy for other axes.
  /// Gradient: g at these elements, 0 elsewhere. @throws Error when [begin, end) is not within the axis.
  Tensor slice(std::int64_t begin, std::int64_t end, int axis = 0) const;
  /// A view of the values in another shape. One size may be −1, and is then inferred from the other sizes.
  /// Gradient: g, reshaped back. @throws Error when the numbers of elements differ.
  Tensor reshape(const Shape& shape) const;

  /// True if both handles refer to the same tensor. Does not compare values.
  bool is(const Tensor& other) const { return impl_ == other.impl_; }

  /// The object to which this handle refers, for the implementation of operations. @throws Error when
  /// undefined.
  TensorImpl& impl() const;
  explicit Tensor(IntrusivePtr<TensorImpl> impl) : impl_(std::move(impl)) {}

 private:
  IntrusivePtr<TensorImpl> impl_;
};

/// Tensors by name, such as a module's parameters.
using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

/// d(loss)/d(input) for each of `inputs`, which need not be leaves. `gradients` holds d(loss)/d(output) for
/// each output. If `gradients` is empty, the loss is the sum of the outputs, which must then have one element
/// each. Changes no Tensor::grad(), and runs only the part of the tape between outputs and inputs. Several
/// threads may call grad() on graphs that share parameters. Each thread then gets its own gradients;
/// backward() would add up the gradients of all threads.
/// @throws Error as backward() does. Also throws when `gradients` is not empty and has another length than
/// `outputs`, for an input that requires no gradient, and for an input from which no output was computed.
std::vector<Tensor> grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                         const std::vector<Tensor>& gradients = {}, bool retain_graph = false);

/// New tensors, not on the tape. @throws Error for an invalid shape. For i64, also throws for a value that is
/// not a 64-bit integer.
Tensor empty(const Shape& shape, Dtype dtype = Dtype::f32);  // uninitialised
Tensor zeros(const Shape& shape, Dtype dtype = Dtype::f32);
Tensor ones(const Shape& shape, Dtype dtype = Dtype::f32);
Tensor full(const Shape& shape, double value, Dtype dtype = Dtype::f32);
/// [0, 1, …, n − 1], i64.
Tensor arange(std::int64_t n);
/// Copies `values`, row-major, into a new tensor of T's dtype. @throws Error unless there are shape.numel()
/// values.
template <class T>
Tensor tensor(std::span<const T> values, const Shape& shape);
template <class T, std::size_t extent>
Tensor tensor(std::span<T, extent> values, const Shape& shape) {
  return tensor(std::span<const std::remove_const_t<T>>(values), shape);
}
template <class T>
Tensor tensor(const std::vector<T>& values, const Shape& shape) {
  return tensor(std::span<const T>(values), shape);
}
/// A vector of `values`.
template <class T>
Tensor tensor(std::span<const T> values) {
  return tensor(values, {std::ssize(values)});
}
template <class T>
Tensor tensor(const std::vector<T>& values) {
  return tensor(std::span<const T>(values));
}
/// A tensor from nested braces: tensor(3) is a scalar, tensor({1, 2}) a vector, tensor({{1, 2}, {3, 4}}) a
/// matrix, and so on. For i64, the numbers must be integers below 2^53 in magnitude, because NestedList
/// stores them as double. A std::vector<std::int64_t> has no such limit.
/// @throws Error when lists at one depth differ in length, and for more than Shape::max_rank levels. For i64,
/// also throws for a number that is not such an integer.
Tensor tensor(const NestedList& values, Dtype dtype = Dtype::f32);

/// A tensor that uses shape.numel() row-major `values` without a copy, and keeps them alive.
/// @throws Error when `values` is null, unless the shape has no elements.
template <class T>
Tensor adopt(std::shared_ptr<T> values, const Shape& shape);

/// Prints dtype, shape, values to 4 digits, and the operation that computed the tensor: "f32 (2, 3) [[1, 2,
/// 3], [4, 5, 6]] from mul". For a leaf that requires a gradient, the text ends in "requires grad". Long axes
/// are shortened with "…", so that at most 256 numbers are printed.
std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

}  // namespace gradus
#pragma GCC visibility pop
