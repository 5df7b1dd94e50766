#pragma once

#include <gradus/nn/layer.hpp>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// Dropout (Srivastava et al. 2014, inverted): in training each element is 0 with `probability`, and divided
/// by 1 − probability otherwise, by draws from default_generator(); in eval mode nothing is changed.
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
