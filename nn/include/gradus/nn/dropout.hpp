#pragma once

#include <gradus/nn/layer.hpp>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// Dropout (Srivastava et al. 2014, inverted): in training each element is set to 0 with `probability` and
/// divided by 1 − probability otherwise. Draws from default_generator(). In eval mode it is the identity.
class Dropout : public Layer {
 public:
  /// @throws Error unless 0 ≤ probability < 1.
  explicit Dropout(double probability);
  Tensor forward(const Tensor& x) const override;
  double probability() const { return probability_; }

 private:
  double probability_;
};

}  // namespace gradus::nn
#pragma GCC visibility pop
