#pragma once

#include <gradus/autograd/weight_product.hpp>
#include <gradus/nn/module.hpp>

#include <list>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// For the lifetime of a RowProducts, linear() and the fused recurrences use RowProduct for every f32 matrix
/// among the module's parameters. A sequence's result then does not depend on the other sequences of its
/// batch, not even in the last bit. The copies of the weights take as much memory as the parameters.
class RowProducts {
 public:
  /// @throws Error if a parameter already has another product, for example from Int8Products. A model with
  /// Int8Products needs no RowProducts, because int8 sums are exact.
  explicit RowProducts(const Module& module);

 private:
  std::list<UseWeightProduct> products_;
};

}  // namespace gradus::nn
#pragma GCC visibility pop
