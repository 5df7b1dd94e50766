#pragma once

#include <gradus/nn/dropout.hpp>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// Variational dropout (Gal and Ghahramani 2016): Dropout with one mask per sequence, which is the same at
/// all steps.
class LockedDropout : public Dropout {
 public:
  using Dropout::Dropout;
  /// x (T, …), time first → the same shape. @throws Error for a scalar.
  Tensor forward(const Tensor& x) const override;
};

}  // namespace gradus::nn
#pragma GCC visibility pop
