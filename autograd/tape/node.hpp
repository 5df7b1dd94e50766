#pragma once

#include <gradus/autograd/runtime.hpp>
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

/// Values of at most this many elements are kept for pictures of the graph, and shown in them.
constexpr std::int64_t shown_elements = 8;

/// A value that a backward function reads, as it was when it was recorded.
struct SavedValue {
  Tensor values;  // off the tape, so that a result does not keep its own node alive; may be undefined
  std::uint32_t version = 0;
};

/// A gradient while it is being added up: undefined before the first contribution.
struct Pending {
  Tensor sum;
  bool borrowed =
      false;  // the gradient of a result is passed on as it is: to be copied before it is added to
};

/// One recorded operation, or a leaf, that has no inputs. `number` grows with every node made, so descending
/// numbers are a topological order of any graph.
struct Node : Recycled<Node> {
  std::atomic<std::int64_t> references{0};
  std::uint64_t number = 0;
  const char* operation = "leaf";
  const ScopePath* scope = nullptr;
  Shape shape;
  Dtype dtype = Dtype::f32;
  Tensor value;                 // of a result small enough to be shown in a picture, off the tape
  Tensor gradient;              // what Tensor::grad() gives
  std::vector<NodePtr> inputs;  // null where no gradient is wanted
  std::vector<SavedValue> saved;
  Backward backward;                                                        // empty in leaves, and once freed
  std::vector<std::pair<int, std::function<Tensor(const Tensor&)>>> hooks;  // by the number of their handle
  bool leaf = true;
  bool freed = false;
  bool keeps_gradient = false;
  bool uses_gradient = false;  // an input was computed from a gradient, whose own is not recorded
  Node* next_dead = nullptr;

  // Of the run that goes through this node now. Not used in leaves, which threads may share.
  const Run* run = nullptr;  // null: none
  Pending pending;           // its gradient so far
  bool needed = false;

  Node();
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  /// "'matmul' (2, 3) in decoder.attention", for messages.
  std::string text() const;
};

/// The number that the next node will have.
std::uint64_t next_node_number();

/// The node of a new leaf with these values.
NodePtr make_leaf(const Tensor& tensor);

/// @throws Error when a value that `node` saved was changed in place since.
void check_saved(const Node& node);

}  // namespace gradus
