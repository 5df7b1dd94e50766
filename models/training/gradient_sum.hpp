#pragma once

#include <gradus/autograd/tensor.hpp>
#include <gradus/models/processes.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "training/tree_sum.hpp"

namespace gradus::models {

// The gradients of a step, added up over shards and then over processes: for each parameter
// ((g_0 + g_1) + (g_2 + g_3)) + …. The sums over processes begin while the backward pass of this process's
// last shard still computes other gradients, in buckets of about a megabyte (Li et al., "PyTorch
// Distributed", 2020, section 3.2.3). All processes have the same buckets, in the order in which process 0
// completed the gradients of the previous step. They do not affect the sums.
class GradientSum {
 public:
  // Indices of parameters. Empty before the first step, whose buckets begin with the last parameter.
  using Order = std::vector<std::size_t>;
  // `shards`: the number of shards of this process. The parameters require gradients. take() updates `order`.
  GradientSum(const std::vector<Tensor>& parameters, const Processes& processes, std::int64_t shards,
              bool bf16, Order& order);
  // If this process fails after it has begun sums, completes them with a loss of NaN: others wait for them.
  ~GradientSum();
  GradientSum(const GradientSum&) = delete;
  GradientSum& operator=(const GradientSum&) = delete;

  // The next backward pass completes the gradients of the last shard: adds each as soon as it is complete.
  void add_during_backward();
  // Adds a shard: its loss, its cross-entropy, and those of the parameters' gradients that are not yet added.
  void add_shard(double loss, double cross_entropy);

  struct Sums {
    double loss, cross_entropy;
  };
  // Finishes the sums, and sets the parameters' gradients. A parameter without a gradient in all shards has
  // none.
  Sums take();

 private:
  void add(std::size_t i, Tensor gradient);
  void start_complete_buckets();
  void remove_hooks();

  const Processes& processes_;
  std::int64_t shards_;
  bool bf16_;
  Order& order_;
  std::vector<Tensor> parameters_;  // in this order, as are the other members
  std::vector<TreeSum> sums_;       // of gradients
  // The loss, the cross-entropy, for each parameter the number of shards with a gradient, and for each
  // parameter its place in the next step's order.
  TreeSum numbers_{false};
  std::vector<double> has_gradient_, place_;
  double complete_ = 0;  // number of gradients of all shards of this process
  std::vector<int> hooks_;
  std::vector<Tensor> bucket_;
  std::size_t bytes_ = 0, next_ = 0;  // of the bucket; the first parameter in no bucket
  bool has_begun_ = false;            // sums that are not yet finished
};

}  // namespace gradus::models
