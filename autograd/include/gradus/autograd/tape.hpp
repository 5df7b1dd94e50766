#pragma once

#include <gradus/autograd/tensor.hpp>

#include <array>
#include <functional>
#include <initializer_list>
#include <span>

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
  /// Adds to it, summed over the axes along which `gradient` is larger.
  void add(int i, const Tensor& gradient);
  /// Value i of those that were saved, off the tape.
  const Tensor& saved(int i) const;
  const char* operation() const;

 private:
  Node& node_;
  Run& run_;
  std::array<const Tensor*, 4> found_{};  // what in() gave for the first inputs: it is called in inner loops
};

/// Adds to the gradients of the inputs. It runs once, or as often as the tape is retained.
using Backward = std::function<void(Gradients&)>;

/// Puts `result` on the tape as `operation` of `inputs`, when this thread records and an input needs a
/// gradient; otherwise `saved` and `backward` are dropped. Undefined inputs are allowed, and need no
/// gradient.
///
/// `saved` are the values that `backward` reads, and all that it keeps alive. They must not change:
/// backward() refuses to run, before it has computed anything, when one was changed in place since. So save
/// only what will be read (`for_gradient_of`). `operation` must live as long as the program, as a literal
/// does.
/// @return result. @throws Error when it has a place on the tape already, as an input has.
Tensor record(const char* operation, Tensor result, std::span<const Tensor> inputs,
              std::initializer_list<Tensor> saved, Backward backward);
inline Tensor record(const char* operation, Tensor result, std::initializer_list<Tensor> inputs,
                     std::initializer_list<Tensor> saved, Backward backward) {
  return record(operation, std::move(result), std::span(inputs.begin(), inputs.size()), saved,
                std::move(backward));
}

/// `value`, which only the gradient of `input` reads: undefined when that needs none.
inline Tensor for_gradient_of(const Tensor& input, const Tensor& value) {
  return input.defined() && input.requires_grad() ? value : Tensor();
}

}  // namespace gradus
