#pragma once

#include <gradus/autograd/tensor.hpp>

#include <array>
#include <functional>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
/// The tape records operations so that `backward()` can run them in reverse. To write your own operation,
/// check the shapes, compute the result without recording, and return
///
///     record("sine", y, {x}, {x}, [](Gradients& g) { g.add(0, g.out() * cosine(g.saved(0))); });
namespace gradus {

struct Node;  // internal
struct BackwardPass;

/// The argument of a backward function: holds the gradient of the result, and accumulates the gradients of
/// the inputs.
class Gradients {
 public:
  Gradients(Node& node, BackwardPass& pass) : node_(node), pass_(pass) {}

  /// d(loss)/d(result).
  const Tensor& out() const;
  /// True if input i needs a gradient. Skip the work for other inputs.
  bool wants(int i) const;
  /// d(loss)/d(input i) as accumulated so far; zeros if nothing was added yet. The caller may add to this
  /// tensor in place.
  /// @throws Error unless wants(i).
  const Tensor& in(int i);
  /// Adds `gradient` to d(loss)/d(input i), summed over the axes along which the input was broadcast. The
  /// first gradient of input i, if it has the input's shape, is stored without a copy in two cases: if it is
  /// out() or a view of out(), and if no other tensor shares its values.
  /// @throws Error when wants(i) is false, and when `gradient` does not have the input's dtype.
  void add(int i, Tensor gradient);
  /// Adds to d(loss)/d(input i) with a kernel of the form y ← A·B + β·y. Calls f(y, β) with y of the input's
  /// shape. With β = 1, f adds to y. With β = 0, y is uninitialised, and f must write every element. Calling
  /// f with β = 0 for the first gradient saves the time to fill y with zeros and read them.
  template <class F>
  void accumulate(int i, F f) {
    Tensor first = first_of(i);
    if (!first.defined()) return f(in(i), 1);
    f(std::as_const(first), 0);
    add(i, std::move(first));
  }
  /// Saved value number i, counted from 0, as a tensor that is not on the tape.
  const Tensor& saved(int i) const;
  /// Saved value number i, which the caller may overwrite. Copies the value if anything else needs it.
  Tensor take_saved(int i);
  /// True if this pass frees the tape. If false, the backward function may run again.
  bool tape_is_freed() const;
  const char* operation() const;

 private:
  Tensor first_of(int i) const;  // undefined if something was added already

  Node& node_;
  BackwardPass& pass_;
  std::array<const Tensor*, 4> found_{};  // caches in(), which inner loops call
};

/// A backward function: adds to the gradients of an operation's inputs. It runs once, or several times if the
/// tape is retained.
using Backward = std::function<void(Gradients&)>;

/// A reference to a tensor. Argument lists of TensorRef copy no Tensor handles.
class TensorRef {
 public:
  TensorRef(const Tensor& tensor) : tensor_(&tensor) {}
  operator const Tensor&() const { return *tensor_; }

 private:
  const Tensor* tensor_;
};

namespace tape {

// Throws Error if `result` is already recorded or, under DetectAnomaly, contains NaN or infinity. Returns
// true if the operation must be recorded.
bool must_record(const char* operation, const Tensor& result, std::span<const TensorRef> inputs);
void append(const char* operation, const Tensor& result, std::span<const TensorRef> inputs,
            std::span<const TensorRef> saved, Backward backward);

}  // namespace tape

/// Records `result` as the result of `operation` on `inputs` if is_recording() and an input needs a gradient.
/// Otherwise drops `saved` and `backward`. Inputs may be undefined; such inputs need no gradient. `backward`
/// is a Backward or converts to one.
///
/// `saved` are the tensors that `backward` reads. The tape keeps their values alive. For recorded(), the tape
/// also keeps the values of any leaf or result that has at most 8 elements. It keeps no other values. If a
/// saved tensor was changed in place after recording, Tensor::backward() throws before it computes gradients.
/// So save only values that `backward` will read (see for_gradient_of). `operation` is a string literal or
/// has static lifetime.
/// @return result. @throws Error when `result` is already recorded, for example because it is an input. Under
/// DetectAnomaly, also throws when `result` contains NaN or infinity.
template <class F>
Tensor record(const char* operation, Tensor result, std::span<const TensorRef> inputs,
              std::initializer_list<TensorRef> saved, F&& backward) {
  if (tape::must_record(operation, result, inputs))
    tape::append(operation, result, inputs, std::span(saved.begin(), saved.size()),
                 Backward(std::forward<F>(backward)));
  return result;
}
template <class F>
Tensor record(const char* operation, Tensor result, std::initializer_list<TensorRef> inputs,
              std::initializer_list<TensorRef> saved, F&& backward) {
  return record(operation, std::move(result), std::span(inputs.begin(), inputs.size()), saved,
                std::forward<F>(backward));
}
template <class F>
Tensor record(const char* operation, Tensor result, std::span<const Tensor> inputs,
              std::initializer_list<TensorRef> saved, F&& backward) {
  const std::vector<TensorRef> refs(inputs.begin(), inputs.end());
  return record(operation, std::move(result), std::span<const TensorRef>(refs), saved,
                std::forward<F>(backward));
}

template <class F>
Tensor record(const char* operation, Tensor result, std::span<const Tensor> inputs,
              const std::vector<Tensor>& saved, F&& backward) {
  const std::vector<TensorRef> refs(inputs.begin(), inputs.end()), values(saved.begin(), saved.end());
  if (tape::must_record(operation, result, refs))
    tape::append(operation, result, refs, values, Backward(std::forward<F>(backward)));
  return result;
}

/// Returns `value` if `input` needs a gradient, otherwise an undefined tensor. Use it for a saved value that
/// the backward function reads only to compute the gradient of `input`.
inline Tensor for_gradient_of(const Tensor& input, const Tensor& value) {
  return input.defined() && input.requires_grad() ? value : Tensor();
}

}  // namespace gradus
#pragma GCC visibility pop
