#include <gradus/autograd/tape.hpp>

#include <algorithm>
#include <memory>
#include <utility>

#include "runtime_state.hpp"
#include "storage.hpp"

namespace gradus {
namespace {

std::atomic<std::uint64_t> nodes_made{0};

// Deleting a node releases its inputs, which may be the last to hold theirs, and so on down a tape of any
// length: nodes that die while another is being deleted wait in this list instead of going deeper. It must
// work until the very end of the thread, so it has no destructor.
thread_local Node* dead = nullptr;
thread_local bool deleting = false;

// All nodes that backward from `root` must run through, newest first.
std::vector<NodePtr> reachable(const NodePtr& root) {
  std::vector<NodePtr> found{root};
  root->visited = true;
  for (std::size_t next = 0; next < found.size(); ++next) {
    // By index: the vector grows while it is walked.
    for (std::size_t i = 0; i < found[next]->inputs.size(); ++i) {
      NodePtr input = found[next]->inputs[i];
      if (!input || input->leaf || input->visited) continue;
      input->visited = true;
      found.push_back(std::move(input));
    }
  }
  for (const NodePtr& node : found) node->visited = false;
  std::sort(found.begin(), found.end(),
            [](const NodePtr& a, const NodePtr& b) { return a->number > b->number; });
  return found;
}

void check_not_freed(const std::vector<NodePtr>& nodes) {
  for (const NodePtr& node : nodes) {
    if (!node->freed) continue;
    const std::string path = node->scope->text();
    fail("backward", "the tape of '", node->operation, "' ", node->shape, path.empty() ? "" : " in " + path,
         " was freed by an earlier backward(); call the first one with retain_graph = true, or compute the "
         "value again");
  }
}

}  // namespace

Node::Node() : number(nodes_made.fetch_add(1, std::memory_order_relaxed)) {
  live_nodes.fetch_add(1, std::memory_order_relaxed);
}

Node::~Node() { live_nodes.fetch_sub(1, std::memory_order_relaxed); }

Tensor& Node::accumulator() {
  if (!gradient.defined()) gradient = zeros(shape, dtype);
  return gradient;
}

void retain(Node* node) { node->references.fetch_add(1, std::memory_order_relaxed); }

void release(Node* node) {
  if (node->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  node->next_dead = std::exchange(dead, node);
  if (std::exchange(deleting, true)) return;
  while (dead != nullptr) delete std::exchange(dead, dead->next_dead);
  deleting = false;
}

const Tensor& Gradients::out() const { return node_.gradient; }

bool Gradients::wants(int i) const { return static_cast<bool>(node_.inputs[static_cast<std::size_t>(i)]); }

Tensor& Gradients::in(int i) { return node_.inputs[static_cast<std::size_t>(i)]->accumulator(); }

const char* Gradients::operation() const { return node_.operation; }

Saved::Saved(const Tensor& tensor) {
  if (!tensor.defined()) return;
  values_ = tensor.detach();
  version_ = tensor.impl().storage->version;
}

const Tensor& Saved::get(const Gradients& reader) const {
  if (!values_.defined()) return values_;
  const Storage& storage = *values_.impl().storage;
  if (storage.version != version_) {
    fail("backward", "'", reader.operation(), "' needs a value ", values_.shape(), " that '",
         storage.changed_by, "' has changed since; change a clone(), or change it after backward()");
  }
  return values_;
}

Tensor record(const char* operation, Tensor result, std::span<const Tensor> inputs, Backward backward) {
  const auto needs_gradient = [](const Tensor& input) { return input.defined() && input.requires_grad(); };
  if (!is_recording() || std::none_of(inputs.begin(), inputs.end(), needs_gradient)) return result;
  auto node = NodePtr(new Node);
  node->operation = operation;
  node->scope = current_scope();
  node->shape = result.shape();
  node->dtype = result.dtype();
  node->leaf = false;
  node->inputs.reserve(inputs.size());
  for (const Tensor& input : inputs)
    node->inputs.push_back(needs_gradient(input) ? input.impl().node : NodePtr());
  node->backward = std::move(backward);
  result.impl().node = std::move(node);
  return result;
}

void Tensor::backward(bool retain_graph) const {
  if (numel() != 1) {
    fail("backward", "only a scalar has a gradient of its own, and this is ", shape(),
         "; reduce it with sum() or mean(), or pass the gradient of the loss with respect to it");
  }
  backward(ones(shape(), dtype()), retain_graph);
}

void Tensor::backward(const Tensor& gradient, bool retain_graph) const {
  if (!requires_grad()) {
    fail("backward", "this tensor ", shape(),
         " was not recorded: no input has requires_grad, or NoGrad is on");
  }
  if (gradient.shape() != shape() || gradient.dtype() != dtype()) {
    fail("backward", "the gradient is ", gradient.shape(), " ", name(gradient.dtype()),
         ", but the tensor is ", shape(), " ", name(dtype()), "; they must be the same");
  }
  std::vector<NodePtr> nodes = reachable(impl().node);
  check_not_freed(nodes);

  const NoGrad no_grad;
  // Whatever happens, gradients of results do not stay behind, to be added to by the next backward.
  const auto forget_gradients = [](std::vector<NodePtr>* run) {
    for (const NodePtr& node : *run) {
      if (!node->leaf && !node->keeps_gradient) node->gradient = Tensor();
    }
  };
  const std::unique_ptr<std::vector<NodePtr>, decltype(forget_gradients)> guard(&nodes, forget_gradients);

  for (const NodePtr& node : nodes) {  // nor is one that was kept sent down again
    if (!node->leaf) node->gradient = Tensor();
  }
  add_in_place(nodes.front()->accumulator(), gradient);
  for (NodePtr& node : nodes) {
    if (node->leaf) continue;
    if (node->gradient.defined()) {
      Gradients gradients(*node);
      node->backward(gradients);
    }
    if (!retain_graph) {
      node->backward = nullptr;
      node->inputs.clear();
      node->freed = true;
    }
    if (!node->keeps_gradient) node->gradient = Tensor();
  }
}

}  // namespace gradus
