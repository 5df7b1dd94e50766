#pragma once

#include <gradus/autograd/weight_product.hpp>

#include <vector>

#pragma GCC visibility push(default)
namespace gradus {

/// An f32 product y = x·Wᵀ + d whose rows are independent to the last bit: the bits of a row of y depend
/// neither on the other rows nor on their number. With a BLAS library, the last bits of a row can change with
/// the number of rows, because the library chooses its kernel by this number. In a RowProduct, every element
/// of y is one sum, which is always computed in the order of W's columns:
///
///     y_i = ((x_0 w_i0 + x_1 w_i1) + x_2 w_i2 + …) + d_i
///
/// d_i is added last, and may be a bias. Each product x_k w_ik is added by a fused multiply-add if the
/// processor has this instruction and the build uses it. The constructor copies W.
class RowProduct final : public WeightProduct {
 public:
  /// @param weight (N, K), f32. @throws Error for another rank or dtype.
  explicit RowProduct(const Tensor& weight);

  void multiply(std::int64_t m, const float* x, std::int64_t x_stride, const Part& part, const float* d,
                std::int64_t d_stride, float* y, std::int64_t y_stride) const override;

 private:
  std::int64_t K_;
  std::vector<float> panels_;  // (⌈N / 32⌉, K, 32): panels of 32 rows of W, transposed; zeros beyond N
};

}  // namespace gradus
#pragma GCC visibility pop
