#pragma once

#include <gradus/autograd/runtime.hpp>
#include <gradus/autograd/tensor.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

/// The tape: what an operation records so that `backward()` can run it in reverse. To write an operation of
/// one's own: check the shapes, compute the result without recording, and return `record(name, result,
/// inputs, backward)`.
namespace gradus {

struct Node;
void retain(Node* node);
void release(Node* node);
using NodePtr = IntrusivePtr<Node>;

/// What a backward function works with: the gradient of the result, and those of the inputs to add to.
class Gradients {
 public:
  explicit Gradients(Node& node) : node_(node) {}

  /// d(loss)/d(result).
  const Tensor& out() const;
  /// Whether input i needs a gradient; the work for those that do not is left out.
  bool wants(int i) const;
  /// d(loss)/d(input i), to be added to in place; zeros when nothing has been added yet.
  Tensor& in(int i);
  const char* operation() const;

 private:
  Node& node_;
};

/// Adds to the gradients of the inputs. It runs once, and must keep alive only the values that it reads (as
/// `Saved`).
using Backward = std::function<void(Gradients&)>;

/// Values (or an undefined tensor) that a backward function will read. Reading them after they were changed
/// in place is an error, because the gradient would be that of another function.
class Saved {
 public:
  Saved() = default;
  explicit Saved(const Tensor& tensor);
  /// The values, off the tape. @throws Error naming the operation that reads them and the call that changed
  /// them.
  const Tensor& get(const Gradients& reader) const;

 private:
  Tensor values_;
  std::uint32_t version_ = 0;
};

/// Puts `result` on the tape as `operation` of `inputs`, when this thread records and an input needs a
/// gradient; otherwise `backward` is dropped. Undefined inputs are allowed, and need no gradient. Returns
/// `result`.
Tensor record(const char* operation, Tensor result, std::span<const Tensor> inputs, Backward backward);
template <class BackwardFunction>
Tensor record(const char* operation, Tensor result, std::initializer_list<Tensor> inputs,
              BackwardFunction&& backward) {
  return record(operation, std::move(result), std::span<const Tensor>(inputs.begin(), inputs.size()),
                Backward(std::forward<BackwardFunction>(backward)));
}

/// One recorded operation (or a leaf, that has no inputs). `number` grows with every node made, so descending
/// numbers are a topological order of any graph.
struct Node {
  std::atomic<std::int64_t> references{0};
  std::uint64_t number = 0;
  const char* operation = "leaf";
  const ScopePath* scope = nullptr;
  Shape shape;
  Dtype dtype = Dtype::f32;
  Tensor gradient;              // of the result; undefined until something is added
  std::vector<NodePtr> inputs;  // null where no gradient is wanted
  Backward backward;            // empty in leaves, and once freed
  bool leaf = true;
  bool freed = false;
  bool keeps_gradient = false;
  bool visited = false;  // by the backward() that runs now; never set in leaves, which threads may share
  Node* next_dead = nullptr;

  Node();
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  /// The gradient, made of zeros when there is none yet.
  Tensor& accumulator();
};

}  // namespace gradus
