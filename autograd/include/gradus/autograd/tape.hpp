#pragma once

#include <gradus/autograd/tensor.hpp>

#include <array>
#include <functional>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
/// The tape: what an operation records so that `backward()` can run it in reverse. To write an operation of
/// one's own: check the shapes, compute the result without recording, and return
///
///     record("sine", y, {x}, {x}, [](Gradients& g) { g.add(0, g.out() * cosine(g.saved(0))); });
namespace gradus {

struct Node;  // the engine's own
struct Run;

/// What a backward function works with: the gradient of the result, and those of the inputs to add to.
class Gradients {
 public:
  Gradients(Node& node, Run& run) : node_(node), run_(run) {}

  /// d(loss)/d(result).
  const Tensor& out() const;
  /// Whether input i needs a gradient; the work for those that do not is left out.
  bool wants(int i) const;
  /// d(loss)/d(input i), to be added to in place; zeros when nothing has been added yet.
  /// @throws Error when none is wanted.
  const Tensor& in(int i);
  /// Adds to it, summed over the axes along which `gradient` is larger. The first one of its shape is not
  /// copied: it becomes d(loss)/d(input i) itself, when it is moved here and nobody else sees its values, and
  /// out() does too.
  /// @throws Error also when its dtype differs.
  void add(int i, Tensor gradient);
  /// Adds to it by a kernel of the form y ← A·B + β·y: calls f(y, β) with y of its shape. With β = 0 the
  /// values of y are undefined, and f writes every one; this saves filling with zeros, and reading them. With
  /// β = 1, f adds to them.
  template <class F>
  void accumulate(int i, F f) {
    Tensor first = first_of(i);
    if (!first.defined()) return f(in(i), 1);
    f(std::as_const(first), 0);
    add(i, std::move(first));
  }
  /// Value i of those that were saved, off the tape.
  const Tensor& saved(int i) const;
  /// The same, to be overwritten: the saved value itself when this is the last that reads it, otherwise a
  /// copy. It is saved no longer.
  Tensor take_saved(int i);
  /// Whether this run frees the tape; else the backward function may run again.
  bool tape_is_freed() const;
  const char* operation() const;

 private:
  Tensor first_of(int i) const;  // undefined when something has been added already

  Node& node_;
  Run& run_;
  std::array<const Tensor*, 4> found_{};  // what in() gave for the first inputs: it is called in inner loops
};

/// Adds to the gradients of the inputs. It runs once, or as often as the tape is retained.
using Backward = std::function<void(Gradients&)>;

/// A tensor in a list of arguments, which so copies no handle.
class TensorRef {
 public:
  TensorRef(const Tensor& tensor) : tensor_(&tensor) {}
  operator const Tensor&() const { return *tensor_; }

 private:
  const Tensor* tensor_;
};

namespace tape {

// Looks at a new result, and says whether it is to be put on the tape.
bool takes(const char* operation, const Tensor& result, std::span<const TensorRef> inputs);
void put(const char* operation, const Tensor& result, std::span<const TensorRef> inputs,
         std::span<const TensorRef> saved, Backward backward);

}  // namespace tape

/// Puts `result` on the tape as `operation` of `inputs`, when this thread records and an input needs a
/// gradient; otherwise `saved` and `backward` are dropped. Undefined inputs are allowed, and need no
/// gradient. `backward` is a Backward, or what makes one.
///
/// `saved` are the values that `backward` reads, and all that it keeps alive. They must not change:
/// backward() refuses to run, before it has computed anything, when one was changed in place since. So save
/// only what will be read (`for_gradient_of`). `operation` must live as long as the program, as a literal
/// does.
/// @return result. @throws Error when it has a place on the tape already, as an input has.
template <class F>
Tensor record(const char* operation, Tensor result, std::span<const TensorRef> inputs,
              std::initializer_list<TensorRef> saved, F&& backward) {
  if (tape::takes(operation, result, inputs))
    tape::put(operation, result, inputs, std::span(saved.begin(), saved.size()),
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
  if (tape::takes(operation, result, refs))
    tape::put(operation, result, refs, values, Backward(std::forward<F>(backward)));
  return result;
}

/// `value`, which only the gradient of `input` reads: undefined when that needs none.
inline Tensor for_gradient_of(const Tensor& input, const Tensor& value) {
  return input.defined() && input.requires_grad() ? value : Tensor();
}

}  // namespace gradus
#pragma GCC visibility pop
