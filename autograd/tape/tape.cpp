#include <gradus/autograd/anomaly.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/autograd/tape.hpp>

#include <algorithm>
#include <sstream>
#include <utility>

#include "anomaly.hpp"
#include "memory/storage.hpp"
#include "node.hpp"
#include "runtime/runtime_state.hpp"

namespace gradus {
namespace {

std::atomic<std::uint64_t> nodes_made{0};

// Deleting a node may release its inputs, and so on through the whole tape. To avoid deep recursion,
// release() puts dead nodes into this list, and only the outermost release() deletes them. The list is a
// plain pointer: a list with a destructor could be destroyed before the thread's last tensors.
thread_local Node* dead = nullptr;
thread_local bool deleting = false;

bool needs_gradient(const Tensor& input) { return input.defined() && input.requires_grad(); }
bool from_gradient(const Tensor& input) { return input.defined() && input.impl().from_gradient; }

}  // namespace

Node::Node() : number(nodes_made.fetch_add(1, std::memory_order_relaxed)), scope(current_scope()) {
  live_nodes.fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t next_node_number() { return nodes_made.load(std::memory_order_relaxed); }

Node::~Node() { live_nodes.fetch_sub(1, std::memory_order_relaxed); }

std::string Node::text() const {
  std::ostringstream text;
  text << '\'' << operation << "' " << shape;
  if (const std::string path = scope->text(); !path.empty()) text << " in " << path;
  return text.str();
}

void retain(Node* node) { node->references.fetch_add(1, std::memory_order_relaxed); }

void release(Node* node) {
  if (!is_last(node->references)) return;
  node->next_dead = std::exchange(dead, node);
  if (std::exchange(deleting, true)) return;
  while (dead != nullptr) delete std::exchange(dead, dead->next_dead);
  deleting = false;
}

NodePtr make_node(const Tensor& tensor) {
  auto node = NodePtr::first(new Node);
  node->shape = tensor.shape();
  node->dtype = tensor.dtype();
  if (tensor.numel() <= shown_elements) node->value = tensor.detach();
  return node;
}

void check_saved(const Node& node) {
  for (const SavedValue& saved : node.saved) {
    if (!saved.values.defined()) continue;
    const Storage& storage = *saved.values.impl().storage;
    if (storage.version == saved.version) continue;
    fail("backward", node.text(), " needs a value ", saved.values.shape(), " that '",
         storage.changed_by.load(), "' has changed since; change a clone(), or change it after backward()");
  }
}

bool tape::must_record(const char* operation, const Tensor& result, std::span<const TensorRef> inputs) {
  if (detects_anomaly()) check_result(operation, result, inputs);
  if (result.impl().node) {
    fail(operation, "its result ", result.shape(),
         " is already recorded (is it an input?); return a clone(), or detach() to share the values");
  }
  result.impl().from_gradient = std::any_of(inputs.begin(), inputs.end(), from_gradient);
  return is_recording() && std::any_of(inputs.begin(), inputs.end(), needs_gradient);
}

void tape::append(const char* operation, const Tensor& result, std::span<const TensorRef> inputs,
                  std::span<const TensorRef> saved, Backward backward) {
  const NodePtr node = make_node(result);
  node->operation = operation;
  node->leaf = false;
  node->uses_gradient = std::any_of(inputs.begin(), inputs.end(), [](const Tensor& input) {
    return from_gradient(input) && !needs_gradient(input);
  });
  node->inputs.reserve(inputs.size());
  for (const Tensor& input : inputs)
    node->inputs.push_back(needs_gradient(input) ? input.impl().node : NodePtr());
  node->saved.reserve(saved.size());
  for (const Tensor& value : saved) {
    node->saved.push_back(value.defined() ? SavedValue{value.detach(), value.impl().storage->version}
                                          : SavedValue{});
  }
  node->backward = std::move(backward);
  result.impl().node = node;
}

}  // namespace gradus
