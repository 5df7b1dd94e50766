#pragma once

#include <gradus/autograd/tensor.hpp>

#include <cstdint>
#include <vector>

namespace gradus::models {

// The sum of 2ⁿ tensors, ((x_0 + x_1) + (x_2 + x_3)) + …. Every aligned block of 2ᵏ terms is added up
// separately. Different processes can therefore compute different blocks without changing the result. Stores
// at most n + 1 tensors.
class TreeSum {
 public:
  // If `bf16` is set, each f32 term is rounded to bf16, and so is each sum of two blocks.
  explicit TreeSum(bool bf16) : bf16_(bf16) {}
  // Adds the next term, and may overwrite its values. All terms must have the same shape.
  void add(Tensor term);
  // The number of terms.
  std::int64_t terms() const { return terms_; }
  // The sum. The number of terms must be a power of two.
  const Tensor& value() const { return blocks_.front(); }

 private:
  bool bf16_;
  std::vector<Tensor> blocks_;  // sums of blocks, largest block first
  std::int64_t terms_ = 0;
};

}  // namespace gradus::models
