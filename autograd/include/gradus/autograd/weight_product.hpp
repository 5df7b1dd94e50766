#pragma once

#include <gradus/autograd/tensor.hpp>

#include <cstdint>
#include <memory>

#pragma GCC visibility push(default)
namespace gradus {

/// A replacement for the product with a weight W (N, K), for example in int8 (gradus/compress/int8.hpp).
class WeightProduct {
 public:
  /// P (rows, columns): the part of W that starts at (row, column).
  struct Part {
    std::int64_t row, rows, column, columns;
    bool operator==(const Part&) const = default;
  };

  virtual ~WeightProduct() = default;
  /// y ← x·Pᵀ + d for x (m, columns), y (m, rows) and d (m, rows). Each matrix has its own row stride.
  /// Several threads may call multiply() at the same time.
  /// @param d null if nothing is added; may equal y. If d_stride is 0, all rows of d are the same row, as for
  /// a bias.
  virtual void multiply(std::int64_t m, const float* x, std::int64_t x_stride, const Part& part,
                        const float* d, std::int64_t d_stride, float* y, std::int64_t y_stride) const = 0;
};

/// For the lifetime of a UseWeightProduct, linear() and the fused recurrences on all threads compute x·Wᵀ by
/// `product`. From the first in-place change of W's values, they multiply with W itself again. Gradients are
/// always those of the product with W itself (a straight-through estimate).
class UseWeightProduct {
 public:
  /// @throws Error unless the weight is an f32 matrix, is not a part of a larger tensor, and has no product
  /// yet.
  UseWeightProduct(const Tensor& weight, std::shared_ptr<const WeightProduct> product);
  ~UseWeightProduct();
  UseWeightProduct(const UseWeightProduct&) = delete;
  UseWeightProduct& operator=(const UseWeightProduct&) = delete;

 private:
  Tensor weight_;  // keeps the storage alive, so that its address is not reused
};

}  // namespace gradus
#pragma GCC visibility pop
