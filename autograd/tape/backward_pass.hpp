#pragma once

#include <gradus/autograd/tensor.hpp>

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "node.hpp"

namespace gradus {

/// One reverse pass over the tape, starting at some outputs. The pass holds the gradients of leaves until
/// run() has succeeded. So a pass that fails changes no gradient; at most it has freed a part of the tape.
struct BackwardPass {
  // `targets` are the nodes whose gradients are wanted; null means all leaves. The pass stops at leaves and
  // at nodes with a number below `oldest`. parallel_sum() runs one BackwardPass per term. It passes as
  // `oldest` the number of the first node that was recorded for any term.
  BackwardPass(const std::vector<NodePtr>& outputs, const std::unordered_set<const Node*>* targets,
               std::uint64_t oldest = 0)
      : BackwardPass(targets, oldest) {
    find(outputs);  // a delegating constructor, so that the destructor runs even if find() throws
    check();
  }
  ~BackwardPass();
  BackwardPass(const BackwardPass&) = delete;
  BackwardPass& operator=(const BackwardPass&) = delete;

  void run(bool retain_graph);

  bool is_end(const Node& node) const { return node.leaf || node.number < oldest_; }
  bool wants(const NodePtr& node) const {
    if (!node) return false;
    return is_end(*node) ? targets_ == nullptr || targets_->contains(node.get()) : node->needed;
  }
  // The gradient of `node` accumulated so far; undefined if nothing was added yet.
  Pending& pending(const NodePtr& node);
  // The accumulated gradient of `node`, or zeros. The caller may add to it in place.
  const Tensor& accumulator(const NodePtr& node);
  // Adds `gradient` to the accumulated gradient of `node`. A first `gradient` of the node's shape is kept
  // without a copy if no other tensor shares its values, or if it shares the storage of `passed_on`, the
  // complete gradient of a result. In the second case, it is copied before it is modified.
  void add(const NodePtr& node, Tensor gradient, const Tensor& passed_on = {});

  std::unordered_set<const Node*> reached;  // the targets that were found

  // The results of run(): gradients of leaves, and of other nodes that are targets or keep their gradient. No
  // other tensor shares these gradients.
  std::vector<NodePtr> leaves, kept;
  std::unordered_map<const Node*, Pending> gradients;
  bool frees = false;  // true if the pass frees the tape

 private:
  BackwardPass(const std::unordered_set<const Node*>* targets, std::uint64_t oldest)
      : targets_(targets), oldest_(oldest) {}
  void find(const std::vector<NodePtr>& outputs);
  void check() const;
  void step(Node& node);
  bool has_work(const Node& node) const;
  std::unordered_map<const Node*, std::vector<NodePtr>> completed_leaves() const;
  bool keeps(const Node& node) const {
    return targets_ == nullptr ? node.keeps_gradient : targets_->contains(&node);
  }

  const std::unordered_set<const Node*>* targets_;
  std::uint64_t oldest_;
  std::vector<NodePtr> nodes_;  // nodes of results, newest first
};

}  // namespace gradus
