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

struct TensorImpl;  // the engine's own
void retain(TensorImpl* impl);
void release(TensorImpl* impl);

/// A multi-dimensional array of f32, f64 or i64, and a place on the tape.
///
/// A Tensor is a handle: copies share values and gradient. Values are contiguous and row-major; `reshape` and
/// slices of the leading axis share them, so a time-major (T, B, H) sequence gives its steps without copying.
class Tensor {
 public:
  /// No tensor at all: `defined()` is false.
  Tensor() = default;

  bool defined() const { return static_cast<bool>(impl_); }
  const Shape& shape() const;
  int rank() const { return shape().rank(); }
  /// The size of one axis; a negative one counts from the end.
  std::int64_t size(int axis) const { return shape()[axis]; }
  std::int64_t numel() const { return shape().numel(); }
  Dtype dtype() const;

  /// The values, row-major. @throws Error when T is not the tensor's dtype.
  template <class T>
  std::span<const T> values() const;
  /// The values, to be changed in place. What was recorded before and needs the old values will refuse to run
  /// backward; `by`, a string literal, names who changed them, for that message. Counts as one change, now:
  /// take the span anew after a forward pass.
  template <class T>
  std::span<T> mutable_values(const char* by = "mutable_values");
  /// A copy of the values, converted. To std::int64_t towards zero. @throws Error for NaN and for numbers
  /// outside the range of i64.
  template <class T>
  std::vector<T> to_vector() const;
  /// The one element. @throws Error when there are more or fewer.
  double item() const;

  /// Whether operations on this tensor are recorded. True for a leaf on which it was set, and for results of
  /// such.
  bool requires_grad() const;
  /// Makes a leaf (not the result of an operation) take part in the tape, or not. Returns this tensor.
  /// @throws Error on i64, and on the result of an operation.
  Tensor& set_requires_grad(bool on = true);
  /// d(loss)/d(this), of this tensor's shape, added up over all calls of `backward()`; undefined before the
  /// first that reached it. Results of operations keep theirs only after `retain_grad()`.
  Tensor grad() const;
  void set_grad(const Tensor& gradient);
  void zero_grad() { set_grad(Tensor()); }
  void retain_grad();

  /// Calls `hook` with d(loss)/d(this), whole, each time that backward() or gradus::grad() has computed it,
  /// and before it goes further down the tape. A defined tensor that it returns takes the gradient's place.
  /// @return a number for remove_hook. @throws Error when this was not recorded; in backward(), when a
  /// gradient that was returned has another shape or dtype.
  int add_hook(std::function<Tensor(const Tensor& gradient)> hook);
  /// Does nothing when there is no such hook.
  void remove_hook(int number);

  /// Adds d(this)/d(leaf) to the gradient of every leaf that this was computed from. The recorded operations
  /// are freed as it goes, unless `retain_graph`. When it throws, no gradient has changed, but the
  /// tape may be freed in part.
  /// @throws Error when this is not a scalar, was not recorded, the tape was freed by an earlier backward(),
  /// a value that the tape needs was changed in place, or a gradient went into it: derivatives of derivatives
  /// are out of scope.
  void backward(bool retain_graph = false) const;
  /// The same for a tensor of any shape, given d(loss)/d(this). @throws Error also when its shape or dtype
  /// differs.
  void backward(const Tensor& gradient, bool retain_graph = false) const;
  void backward(double) const = delete;  // is no bool

  /// Gives this leaf other values, of any shape and dtype; every handle to it sees them, and its gradient is
  /// cleared.
  /// @throws Error on the result of an operation, and for i64 values in a tensor that requires a gradient.
  void replace(const Tensor& values);

  /// The same values without a place on the tape.
  /// Gradient: none.
  Tensor detach() const;
  /// A copy of the values, not on the tape.
  /// Gradient: none.
  Tensor clone() const;
  /// Converted values, to i64 towards zero; this very tensor when it has that dtype already.
  /// Gradient: g, converted back; none through i64. @throws Error for NaN and for numbers outside the range
  /// of i64.
  Tensor to(Dtype dtype) const;

  /// Element i of the leading axis, shape() without it; shares the values. A negative i counts from the end.
  /// Gradient: g at that element. @throws Error when there is no such element.
  Tensor operator[](std::int64_t i) const;
  /// Elements [begin, end) of an axis; negative ones count from the end. Shares the values on the leading
  /// axis, and copies them on others.
  /// Gradient: g there, 0 elsewhere. @throws Error when [begin, end) is no part of the axis.
  Tensor slice(std::int64_t begin, std::int64_t end, int axis = 0) const;
  /// The same values in another shape; one size may be −1, and is worked out. Shares the values.
  /// Gradient: g, in this shape. @throws Error when the numbers of elements differ.
  Tensor reshape(const Shape& shape) const;

  /// Whether both are the same tensor (not: equal values).
  bool is(const Tensor& other) const { return impl_ == other.impl_; }

  /// For the engine: what the handle points to. @throws Error when undefined.
  TensorImpl& impl() const;
  explicit Tensor(IntrusivePtr<TensorImpl> impl) : impl_(std::move(impl)) {}

 private:
  IntrusivePtr<TensorImpl> impl_;
};

/// Tensors by name, as a module gives its parameters.
using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

/// d(Σ outputs)/d(input) for each of `inputs`, leaves or not, without touching any Tensor::grad(); only the
/// part of the tape that lies between them is run. `gradients`: d(loss)/d(output) for each output; none are
/// needed where all outputs are scalars. Unlike backward(), threads may call it on graphs that share
/// parameters and each have the gradients of its own.
/// @throws Error as backward() does, and when an input requires no gradient, or no output was computed from
/// it.
std::vector<Tensor> grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                         const std::vector<Tensor>& gradients = {}, bool retain_graph = false);

/// New tensors, not on the tape. @throws Error for an undefined dtype/value combination or a bad shape.
Tensor empty(const Shape& shape, Dtype dtype = Dtype::f32);  // values undefined
Tensor zeros(const Shape& shape, Dtype dtype = Dtype::f32);
Tensor ones(const Shape& shape, Dtype dtype = Dtype::f32);
Tensor full(const Shape& shape, double value, Dtype dtype = Dtype::f32);
/// [0, 1, …, n − 1], i64.
Tensor arange(std::int64_t n);
/// Copies `values`, row-major, into a new tensor of T's dtype. @throws Error when their number is not the
/// shape's.
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
/// The same, as a vector.
template <class T>
Tensor tensor(std::span<const T> values) {
  return tensor(values, {std::ssize(values)});
}
template <class T>
Tensor tensor(const std::vector<T>& values) {
  return tensor(std::span<const T>(values));
}
/// What braces say: tensor(3) is a scalar, tensor({1, 2}) a vector, tensor({{1, 2}, {3, 4}}) a matrix, and so
/// on. In an i64 tensor the numbers must be integers below 2^53 in magnitude, since they pass through double;
/// a std::vector<std::int64_t> is exact.
/// @throws Error where elements of one depth differ in length, for more than Shape::max_rank depths, and for
/// numbers that i64 would not hold exactly.
Tensor tensor(const NestedList& values, Dtype dtype = Dtype::f32);

/// A tensor of values that it does not copy but keeps alive: shape.numel() of them, row-major.
/// @throws Error when they are null, unless the shape is empty.
template <class T>
Tensor adopt(std::shared_ptr<T> values, const Shape& shape);

/// "f32 (2, 3) [[1, 2, 3], [4, 5, 6]] from mul": the values to 4 digits, and the operation that made them;
/// " requires grad" after a leaf's. Long axes are shortened with "…", to at most 256 numbers for any shape.
std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

}  // namespace gradus
#pragma GCC visibility pop
