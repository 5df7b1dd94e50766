#pragma once

#include <gradus/autograd/tensor.hpp>

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "node.hpp"

namespace gradus {

/// One run of the tape in reverse, from some outputs. Nothing that outlives it is touched but the tape that
/// it frees: the gradients of leaves are its own until it has succeeded.
struct Run {
  // `targets`: the nodes whose gradients are wanted; null means those of all leaves. The run ends at nodes
  // that were made before number `oldest`, as it does at leaves.
  Run(const std::vector<NodePtr>& outputs, const std::unordered_set<const Node*>* targets,
      std::uint64_t oldest = 0)
      : Run(targets, oldest) {
    find(outputs);  // if this throws, the destructor runs nevertheless
    check();
  }
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  void run(bool retain_graph);

  bool is_end(const Node& node) const { return node.leaf || node.number < oldest_; }
  bool wants(const NodePtr& node) const {
    if (!node) return false;
    return is_end(*node) ? targets_ == nullptr || targets_->contains(node.get()) : node->needed;
  }
  // The gradient of a node so far.
  Pending& pending(const NodePtr& node);
  // The same, to be added to in place; zeros when there is none.
  const Tensor& accumulator(const NodePtr& node);
  // Adds to it, and keeps `gradient` itself if it can. It may be `passed_on`: the gradient of a result, which
  // is complete, so that it will only be read as long as it is shared.
  void add(const NodePtr& node, Tensor gradient, const Tensor& passed_on = {});

  std::unordered_set<const Node*> reached;  // of the targets

  // What was computed, once run() has ended: of leaves, and of other nodes that are targets or keep theirs.
  // Nobody else sees these gradients.
  std::vector<NodePtr> leaves, kept;
  std::unordered_map<const Node*, Pending> gradients;
  bool frees = false;  // the tape is freed on the way

 private:
  Run(const std::unordered_set<const Node*>* targets, std::uint64_t oldest)
      : targets_(targets), oldest_(oldest) {}
  void find(const std::vector<NodePtr>& outputs);
  void check() const;
  void step(Node& node);
  bool has_work(const Node& node) const;
  bool keeps(const Node& node) const {
    return targets_ == nullptr ? node.keeps_gradient : targets_->contains(&node);
  }

  const std::unordered_set<const Node*>* targets_;
  std::uint64_t oldest_;
  std::vector<NodePtr> nodes_;  // of results, newest first
};

}  // namespace gradus
