#pragma once

#include <gradus/autograd/scope.hpp>
#include <gradus/autograd/tape.hpp>
#include <gradus/autograd/tensor.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "memory/recycled.hpp"
#include "memory/storage.hpp"

namespace gradus {

/// A node keeps its result, for pictures of the graph, if the result has at most this many elements.
constexpr std::int64_t shown_elements = 8;

/// A value that a backward function reads, and the value's version when it was recorded.
struct SavedValue {
  Tensor values;  // may be undefined; not on the tape, so that a result does not keep its own node alive
  std::uint32_t version = 0;
};

/// A gradient that is being accumulated. `sum` is undefined before the first contribution.
struct Pending {
  Tensor sum;
  bool borrowed = false;  // true if `sum` shares a result's gradient; copy it before modifying
};

/// A recorded operation, or a leaf, which has no inputs. `number` increases with every new node. So
/// descending numbers are a topological order of any graph.
struct Node : Recycled<Node> {
  std::atomic<std::int64_t> references{0};
  std::uint64_t number = 0;
  const char* operation = "leaf";
  const ScopePath* scope = nullptr;
  Shape shape;
  Dtype dtype = Dtype::f32;
  Tensor value;                 // the result, not on the tape; undefined if it is larger than shown_elements
  Tensor gradient;              // the gradient that Tensor::grad() returns
  std::vector<NodePtr> inputs;  // null for inputs that need no gradient
  std::vector<SavedValue> saved;
  Backward backward;  // empty in leaves and after freeing
  std::vector<std::pair<int, std::function<Tensor(const Tensor&)>>> hooks;  // hooks with their numbers
  bool leaf = true;
  bool freed = false;
  bool keeps_gradient = false;
  bool uses_gradient = false;  // true if an unrecorded input was computed from a gradient
  Node* next_dead = nullptr;   // next node in the list of nodes that release() will delete

  // State of the pass that is visiting this node. Leaves have no such state, because threads share leaves.
  const BackwardPass* pass = nullptr;  // null if there is none
  Pending pending;                     // gradient of this node, accumulated so far
  bool needed = false;                 // true if the pass computes this node's gradient

  Node();
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  /// The node in messages: "'matmul' (2, 3) in decoder.attention".
  std::string text() const;
};

/// The number of the next new node.
std::uint64_t next_node_number();

/// A new node for `tensor`, initially a leaf.
NodePtr make_node(const Tensor& tensor);

/// @throws Error when a value that `node` saved was changed in place after it was saved.
void check_saved(const Node& node);

}  // namespace gradus
