#pragma once

#include <gradus/autograd/tensor.hpp>
#include <gradus/models/processes.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "training/tree_sum.hpp"

namespace gradus::models {

// The gradients of a step, added up over shards and then over processes: for each parameter
// ((g_0 + g_1) + (g_2 + g_3)) + …. The sums over processes begin while the backward pass of this process's last
// shard still computes other gradients (Li et al., "PyTorch Distributed", 2020, section 3.2.3): those of the
// last parameters come first, in buckets of about a megabyte. The buckets are the same in all processes. They
// do not affect the sums.
class GradientSum {
 public:
  // `shards`: the number of shards of this process. The parameters require gradients.
  GradientSum(std::vector<Tensor> parameters, const Processes& processes, std::int64_t shards, bool bf16);
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
  // Finishes the sums, and sets the parameters' gradients. A parameter without a gradient in all shards has none.
  Sums take();

 private:
  void add(std::size_t i, Tensor gradient);
  void start_complete_buckets();
  void remove_hooks();

  const Processes& processes_;
  std::int64_t shards_;
  bool bf16_;
  std::vector<Tensor> parameters_;  // the last one first
  std::vector<TreeSum> sums_;       // of each parameter's gradients
  TreeSum numbers_{false};          // the loss, the cross-entropy, and for each parameter, the shards with a gradient
  std::vector<double> has_gradient_;
  std::vector<int> hooks_;  // of each parameter
  std::vector<Tensor> bucket_;
  std::size_t bytes_ = 0, next_ = 0;  // of the bucket; the first parameter in no bucket
  bool has_begun_ = false;            // sums that are not yet finished
};

}  // namespace gradus::models
