#pragma once

#include <gradus/autograd/tensor.hpp>

#include <cstdint>
#include <vector>

namespace gradus::models {

// The sum of 2ⁿ lists of tensors, ((x_0 + x_1) + (x_2 + x_3)) + …. Every aligned block of 2ᵏ terms is added
// up on its own, so blocks can be computed by different processes without a change of the result. Keeps at
// most n + 1 lists.
class TreeSum {
 public:
  // If `bf16` is set, each f32 term and each sum of two is rounded to bf16.
  explicit TreeSum(bool bf16) : bf16_(bf16) {}
  // Adds the next list. All lists have the same shapes. Undefined tensors are not allowed.
  void add(std::vector<Tensor> term);
  // The sum; the number of terms must be a power of two.
  std::vector<Tensor> take();

 private:
  bool bf16_;
  std::vector<std::vector<Tensor>> blocks_;  // sums of blocks, the largest block first
  std::int64_t terms_ = 0;
};

}  // namespace gradus::models
