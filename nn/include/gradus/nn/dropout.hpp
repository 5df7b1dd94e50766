#pragma once

#include <gradus/nn/layer.hpp>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// Inverted dropout (Srivastava et al. 2014). In training, sets each element to 0 with `probability`, and
/// otherwise divides it by 1 − probability. Draws from default_generator(). In eval mode, dropout is the
/// identity.
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
