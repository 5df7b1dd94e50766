#pragma once

#include <gradus/autograd/tensor.hpp>
#include <gradus/models/processes.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "training/tree_sum.hpp"

namespace gradus::models {

// Adds up the gradients of a step over shards, then over processes: ((g_0 + g_1) + (g_2 + g_3)) + … for each
// parameter. Gradients are sent in buckets of about a megabyte, while the backward pass of this process's
// last shard still computes other gradients (Li et al., "PyTorch Distributed", 2020, section 3.2.3). All
// processes fill buckets in the order in which process 0 completed the gradients of the previous step. The
// order does not affect the sums.
class GradientSum {
 public:
  // Indices of parameters, in the order of sending. Before the first step, and after a change in the number
  // of parameters, the order is from the last parameter to the first.
  using Order = std::vector<std::size_t>;
  // `shards` is the number of this process's shards. All parameters must require gradients. take() updates
  // `order`.
  GradientSum(const std::vector<Tensor>& parameters, const Processes& processes, std::int64_t shards,
              bool bf16, Order& order);
  // If this process fails after it has begun sums, completes these sums with a NaN loss, because the other
  // processes wait for them.
  ~GradientSum();
  GradientSum(const GradientSum&) = delete;
  GradientSum& operator=(const GradientSum&) = delete;

  // Call this before the backward pass that completes the last shard. With several processes, this pass then
  // adds each gradient as soon as it is complete.
  void add_during_backward();
  // Adds a shard: its loss, its cross-entropy, and the gradients that add_during_backward() has not added.
  void add_shard(double loss, double cross_entropy);

  struct Sums {
    double loss, cross_entropy;
  };
  // Finishes the sums, and sets the parameters' gradients. If no shard has a gradient for a parameter, the
  // parameter has none.
  Sums take();

 private:
  void add(std::size_t i, Tensor gradient);
  void start_complete_buckets();
  void remove_hooks();

  const Processes& processes_;
  std::int64_t shards_;
  bool bf16_;
  Order& order_;
  std::vector<Tensor> parameters_;  // in sending order, like the other members
  std::vector<TreeSum> sums_;       // of gradients
  // Numbers that are summed like the gradients: the loss; the cross-entropy; for each parameter, the number
  // of shards with a gradient; and for each parameter, its place in the next step's order.
  TreeSum numbers_{false};
  std::vector<double> has_gradient_, place_;
  // In process 0: the number of parameters whose gradients from all shards of this process are complete.
  double complete_ = 0;
  std::vector<int> hooks_;
  std::vector<Tensor> bucket_;
  std::size_t bytes_ = 0, next_ = 0;  // bytes of the open bucket; first parameter in no bucket
  bool has_begun_ = false;            // true from the first sum until all sums have begun
};

}  // namespace gradus::models
