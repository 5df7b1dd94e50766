#include <gradus/autograd/anomaly.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/autograd/tape.hpp>

#include <algorithm>
#include <mutex>
#include <unordered_set>
#include <utility>

#include "anomaly.hpp"
#include "backward_pass.hpp"
#include "memory/storage.hpp"
#include "node.hpp"
#include "runtime/profile_state.hpp"
#include "runtime/runtime_state.hpp"

namespace gradus {

namespace {

// True if the tensor is a view of only a part of its storage.
bool is_part(const Tensor& tensor) {
  const std::size_t bytes = static_cast<std::size_t>(tensor.numel()) * bytes_per_element(tensor.dtype());
  return bytes != tensor.impl().storage->bytes;
}

// Makes gradient.sum safe to modify in place: copies a borrowed sum if another tensor may share its values,
// or if it is only a part of its storage.
void own(Pending& gradient) {
  if (gradient.borrowed && (is_shared(gradient.sum) || is_part(gradient.sum)))
    gradient.sum = gradient.sum.clone();
  gradient.borrowed = false;
}

// Runs the node's hooks, which may replace the gradient.
void run_hooks(const Node& node, Pending& pending) {
  if (node.hooks.empty()) return;
  own(pending);
  Tensor& gradient = pending.sum;
  const auto hooks = node.hooks;  // a copy, because a hook may remove itself
  for (const auto& [number, hook] : hooks) {
    gradient.impl().from_gradient = true;
    const Tensor replacement = hook(gradient);
    if (!replacement.defined()) continue;
    if (replacement.shape() != node.shape || replacement.dtype() != node.dtype) {
      fail("backward", "a hook on ", node.text(), " returned a gradient ", replacement.shape(), " ",
           name(replacement.dtype()), "; it must be ", node.shape, " ", name(node.dtype), ", or undefined");
    }
    gradient = replacement.clone();  // a copy, because the hook may keep the replacement
  }
}

// Held while a pass adds to the gradients that tensors keep, because threads may share leaves.
std::mutex adding;

void add_to_gradient(Node& node, Tensor gradient) {
  if (node.gradient.defined()) {
    add_in_place(node.gradient, gradient);
    mark_changed(node.gradient, "backward");
  } else {
    node.gradient = std::move(gradient);
  }
  node.gradient.impl().from_gradient = true;
}

void check_incoming(const char* operation, const Tensor& output, const Tensor& gradient) {
  if (!output.requires_grad()) {
    if (output.impl().from_gradient) {
      fail(operation, "this tensor ", output.shape(),
           " was computed from a gradient, and second derivatives are out of scope");
    }
    fail(operation, "this tensor ", output.shape(),
         " was not recorded: no input has requires_grad, or NoGrad is on");
  }
  if (!gradient.defined() && output.numel() != 1) {
    fail(operation, "without a gradient the tensor must be a scalar, and it is ", output.shape(),
         "; reduce it with sum() or mean(), or pass the gradient of the loss with respect to it");
  }
  if (gradient.defined() && (gradient.shape() != output.shape() || gradient.dtype() != output.dtype())) {
    fail(operation, "the gradient is ", gradient.shape(), " ", name(gradient.dtype()), ", but the tensor is ",
         output.shape(), " ", name(output.dtype()), "; they must be the same");
  }
}

Tensor seed_of(const Tensor& output, const Tensor& gradient) {
  return gradient.defined() ? gradient : ones(output.shape(), output.dtype());
}

}  // namespace

BackwardPass::~BackwardPass() {
  for (const NodePtr& node : nodes_) {
    node->pass = nullptr;
    node->pending = {};
    node->needed = false;
  }
}

// Finds the outputs and all recorded results from which they were computed, newest first. Marks a node as
// needed if it is a target or was computed from a target. Without targets, marks all nodes.
void BackwardPass::find(const std::vector<NodePtr>& outputs) {
  const auto add = [&](const NodePtr& node) {
    if (!node) return;
    if (targets_ != nullptr && targets_->contains(node.get())) reached.insert(node.get());
    if (is_end(*node) || node->pass == this) return;
    if (node->pass != nullptr) {
      fail("backward", node->text(),
           " is part of a running backward pass; a hook or a backward function cannot run its own tape");
    }
    nodes_.push_back(node);
    node->pass = this;
  };
  for (const NodePtr& output : outputs) add(output);
  for (std::size_t next = 0; next < nodes_.size(); ++next) {
    // Iterates by index, because add() appends to nodes_.
    for (std::size_t i = 0; i < nodes_[next]->inputs.size(); ++i) add(NodePtr(nodes_[next]->inputs[i]));
  }
  std::sort(nodes_.begin(), nodes_.end(),
            [](const NodePtr& a, const NodePtr& b) { return a->number > b->number; });
  for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) {
    (*node)->needed = targets_ == nullptr || targets_->contains(node->get()) || has_work(**node);
  }
}

bool BackwardPass::has_work(const Node& node) const {
  return std::any_of(node.inputs.begin(), node.inputs.end(),
                     [this](const NodePtr& input) { return wants(input); });
}

// Checks the tape before the first gradient is computed.
void BackwardPass::check() const {
  // A freed node has lost its inputs, which may have led to any target that is older than the node. So the
  // node is refused if at least one target is older. Without targets, every freed node is refused.
  std::uint64_t oldest = 0;
  if (targets_ != nullptr) {
    const auto older = [](const Node* a, const Node* b) { return a->number < b->number; };
    const auto first = std::min_element(targets_->begin(), targets_->end(), older);
    if (first != targets_->end()) oldest = (*first)->number;
  }
  for (const NodePtr& node : nodes_) {
    if (node->freed && node->number > oldest) {
      fail("backward", "the tape of ", node->text(),
           " was freed by an earlier backward(); call the first one with retain_graph = true, or compute the "
           "value again");
    }
    if (!has_work(*node)) continue;
    if (node->uses_gradient) {
      fail("backward", "an input of ", node->text(),
           " was computed from a gradient, and second derivatives are out of scope; to use the gradient as a "
           "constant, detach() it first");
    }
    check_saved(*node);
  }
}

Pending& BackwardPass::pending(const NodePtr& node) {
  if (!is_end(*node)) return node->pending;
  const auto [found, added] = gradients.try_emplace(node.get());
  if (added) leaves.push_back(node);
  return found->second;
}

const Tensor& BackwardPass::accumulator(const NodePtr& node) {
  Pending& so_far = pending(node);
  if (!so_far.sum.defined()) so_far.sum = zeros(node->shape, node->dtype);
  own(so_far);
  return so_far.sum;
}

void BackwardPass::add(const NodePtr& node, Tensor gradient, const Tensor& passed_on) {
  Pending& so_far = pending(node);
  const bool fits = !so_far.sum.defined() && gradient.shape() == node->shape;
  const bool is_passed_on = passed_on.defined() && gradient.impl().storage == passed_on.impl().storage;
  if (fits && (is_passed_on || !is_shared(gradient))) {
    so_far = {std::move(gradient), is_passed_on};
  } else {
    add_in_place(accumulator(node), gradient);
  }
}

// Visits one node, whose gradient is complete.
void BackwardPass::step(Node& node) {
  run_hooks(node, node.pending);
  if (!has_work(node)) return;
  check_saved(node);  // checked again, because a hook may have changed a value
  const InScope in_scope(node.scope);
  const Profiled profiled(node.operation, Profiled::Pass::backward);
  Gradients gradients_of_node(node, *this);
  node.backward(gradients_of_node);
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const NodePtr& input = node.inputs[i];
    if (!wants(input)) continue;
    if (!pending(input).sum.defined()) accumulator(input);  // a gradient of zeros if nothing was added
    if (detects_anomaly()) check_gradient(node, i, pending(input).sum);
  }
}

// Maps a node to the leaves with hooks that it reads and that no older node reads. Their gradients are
// complete after the node. Null maps to the outputs that are leaves and that no node reads. Their gradients
// are complete at the start.
std::unordered_map<const Node*, std::vector<NodePtr>> BackwardPass::completed_leaves() const {
  std::unordered_map<const Node*, std::vector<NodePtr>> completed;
  if (oldest_ > 0) return completed;  // parallel_sum(): leaf gradients of one term are incomplete
  std::unordered_set<const Node*> seen;
  for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) {
    for (const NodePtr& input : (*node)->inputs) {
      if (!input || !is_end(*input) || input->hooks.empty()) continue;
      if (seen.insert(input.get()).second) completed[node->get()].push_back(input);
    }
  }
  for (const NodePtr& output : leaves) {
    if (!seen.contains(output.get())) completed[nullptr].push_back(output);
  }
  return completed;
}

void BackwardPass::run(bool retain_graph) {
  const NoGrad no_grad;
  frees = !retain_graph;
  const auto completed = completed_leaves();
  const auto run_hooks_after = [&](const Node* node) {
    const auto found = completed.find(node);
    if (found == completed.end()) return;
    for (const NodePtr& leaf : found->second) {
      const auto gradient = gradients.find(leaf.get());
      if (gradient != gradients.end()) run_hooks(*leaf, gradient->second);
    }
  };
  run_hooks_after(nullptr);
  for (const NodePtr& node : nodes_) {
    if (!node->needed) continue;
    if (node->pending.sum.defined()) {
      step(*node);
      if (keeps(*node)) {
        kept.push_back(node);
        gradients[node.get()] = std::move(node->pending);
      }
      node->pending = {};
    }
    run_hooks_after(node.get());
    if (retain_graph || !has_work(*node)) continue;
    node->backward = nullptr;
    node->inputs.clear();
    node->saved.clear();
    node->value = Tensor();
    node->freed = true;
  }
  for (auto& [node, gradient] : gradients) {
    gradient.borrowed = true;  // so own() copies the gradient: a hook may have kept it
    own(gradient);
  }
}

const Tensor& Gradients::out() const { return node_.pending.sum; }

namespace {

const NodePtr& input(const Node& node, int i) {
  if (i < 0 || i >= std::ssize(node.inputs))
    fail(node.operation, "its backward function asks for input ", i, ", and it was recorded with ",
         node.inputs.size());
  return node.inputs[static_cast<std::size_t>(i)];
}

const NodePtr& wanted_input(const Node& node, const BackwardPass& pass, int i) {
  const NodePtr& found = input(node, i);
  if (!pass.wants(found)) {
    fail(node.operation, "its backward function adds to the gradient of input ", i,
         ", which needs none; check wants(", i, ") first");
  }
  return found;
}

SavedValue& saved_value(Node& node, int i) {
  if (i < 0 || i >= std::ssize(node.saved))
    fail(node.operation, "its backward function asks for saved value ", i, ", and ", node.saved.size(),
         " were saved");
  return node.saved[static_cast<std::size_t>(i)];
}

}  // namespace

bool Gradients::wants(int i) const { return pass_.wants(input(node_, i)); }

const Tensor& Gradients::in(int i) {
  const auto at = static_cast<std::size_t>(i);
  if (at < found_.size() && found_[at] != nullptr) return *found_[at];
  const Tensor& gradient = pass_.accumulator(wanted_input(node_, pass_, i));
  if (at < found_.size()) found_[at] = &gradient;
  return gradient;
}

Tensor Gradients::first_of(int i) const {
  const NodePtr& node = wanted_input(node_, pass_, i);
  return pass_.pending(node).sum.defined() ? Tensor() : empty(node->shape, node->dtype);
}

void Gradients::add(int i, Tensor gradient) {
  const NodePtr& node = wanted_input(node_, pass_, i);
  if (gradient.dtype() != node->dtype) {
    fail(operation(), "its backward function adds a gradient ", gradient.shape(), " ", name(gradient.dtype()),
         " to that of input ", i, ", which is ", node->shape, " ", name(node->dtype));
  }
  pass_.add(node, std::move(gradient), out());
}

const Tensor& Gradients::saved(int i) const { return saved_value(node_, i).values; }

Tensor Gradients::take_saved(int i) {
  Tensor& value = saved_value(node_, i).values;
  if (!pass_.frees || is_shared(value)) return value.clone();
  node_.freed = true;  // the value is lost, even if this pass fails later
  return std::exchange(value, Tensor());
}

bool Gradients::tape_is_freed() const { return pass_.frees; }

const char* Gradients::operation() const { return node_.operation; }

void Tensor::backward(bool retain_graph) const { backward(Tensor(), retain_graph); }

void Tensor::backward(const Tensor& gradient, bool retain_graph) const {
  check_incoming("backward", *this, gradient);
  BackwardPass pass({impl().node}, nullptr);
  pass.add(impl().node, seed_of(*this, gradient));
  pass.run(retain_graph);

  const std::lock_guard lock(adding);
  for (const NodePtr& leaf : pass.leaves) add_to_gradient(*leaf, std::move(pass.gradients[leaf.get()].sum));
  for (const NodePtr& node : pass.kept) add_to_gradient(*node, std::move(pass.gradients[node.get()].sum));
}

std::vector<Tensor> grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                         const std::vector<Tensor>& gradients, bool retain_graph) {
  if (!gradients.empty() && gradients.size() != outputs.size()) {
    fail("grad", gradients.size(), " gradients were given for ", outputs.size(),
         " outputs; give one each, or none");
  }
  std::vector<NodePtr> roots;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    check_incoming("grad", outputs[i], gradients.empty() ? Tensor() : gradients[i]);
    roots.push_back(outputs[i].impl().node);
  }
  std::unordered_set<const Node*> targets;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].requires_grad())
      fail("grad", "input ", i, " ", inputs[i].shape(), " does not require a gradient");
    targets.insert(inputs[i].impl().node.get());
  }
  BackwardPass pass(roots, &targets);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (pass.reached.contains(inputs[i].impl().node.get())) continue;
    fail("grad", "the outputs were not computed from input ", i, " ", inputs[i].shape(),
         "; leave it out, or check that it is the tensor that was used");
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (pass.wants(roots[i]))
      pass.add(roots[i], seed_of(outputs[i], gradients.empty() ? Tensor() : gradients[i]));
  }
  pass.run(retain_graph);

  std::vector<Tensor> result;
  for (const Tensor& input : inputs) {
    const Tensor& gradient = pass.gradients.at(input.impl().node.get()).sum;
    result.push_back(is_shared(gradient) ? gradient.clone() : gradient);  // an input may be given twice
    result.back().impl().from_gradient = true;
  }
  return result;
}

}  // namespace gradus
