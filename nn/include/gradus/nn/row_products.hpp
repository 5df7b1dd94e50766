#pragma once

#include <gradus/autograd/weight_product.hpp>
#include <gradus/nn/module.hpp>

#include <list>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// For the lifetime of a RowProducts, each f32 matrix among the module's parameters has a RowProduct.
/// linear() and the fused recurrences use it for products with this matrix. A sequence's result then does not
/// depend on the other sequences of its batch, not even in the last bit. Each RowProduct holds a copy of its
/// matrix. Together, the copies take as much memory as the matrices.
class RowProducts {
 public:
  /// @throws Error as UseWeightProduct does, for example if a parameter already has a product from
  /// Int8Products. A model with Int8Products needs no RowProducts: sums of int8 products are exact, so a
  /// result does not depend on the other sequences.
  explicit RowProducts(const Module& module);

 private:
  std::list<UseWeightProduct> products_;
};

}  // namespace gradus::nn
#pragma GCC visibility pop
