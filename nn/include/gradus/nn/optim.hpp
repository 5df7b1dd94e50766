#pragma once

#include <gradus/autograd/tensor.hpp>

#include <cstdint>
#include <vector>

namespace gradus::nn {

struct AdamOptions {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
};

/// Adam (Kingma and Ba 2015, algorithm 1), as PyTorch computes it: for each parameter θ with gradient g at
/// step t,
///
///     m ← β₁ m + (1 − β₁) g,   v ← β₂ v + (1 − β₂) g²
///     θ ← θ − η / (1 − β₁ᵗ) · m / (√v / √(1 − β₂ᵗ) + ε)
///
/// A parameter without a gradient is left alone.
class Adam {
 public:
  explicit Adam(std::vector<Tensor> parameters, AdamOptions options = {});

  /// One update from the gradients that the parameters have now.
  void step();
  void zero_grad();
  double learning_rate() const { return options_.learning_rate; }
  void set_learning_rate(double rate) { options_.learning_rate = rate; }

 private:
  struct Moments {
    Tensor m, v;
    std::int64_t steps = 0;  // t
  };
  std::vector<Tensor> parameters_;
  std::vector<Moments> moments_;
  AdamOptions options_;
};

/// Scales all gradients together, so that the norm over all their elements is at most `max_norm` (Pascanu et
/// al. 2013). Returns the norm that they had. As in PyTorch, the factor is max_norm / (norm + 1e-6) when that
/// is below 1.
double clip_grad_norm(const std::vector<Tensor>& parameters, double max_norm);

}  // namespace gradus::nn
