#pragma once

#include <gradus/nn/optimiser.hpp>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// Adagrad (Duchi et al. 2011, figure 1, with a diagonal matrix), as PyTorch computes it at step t:
///
///     g ← g + λ θ
///     s ← s + g²
///     θ ← θ − η / (1 + (t − 1) κ) · g / (√s + ε)
///
/// The paper has no learning-rate decay κ. State: `s`.
struct AdagradRule {
  double learning_rate = 1e-2;     ///< η
  double learning_rate_decay = 0;  ///< κ
  double weight_decay = 0;         ///< λ
  double epsilon = 1e-10;

  static constexpr const char* name = "Adagrad";
  static constexpr bool elementwise = true;
  void check() const;
  std::vector<std::string> averages() const { return {"s"}; }
  void update(Update& update) const;
};
using Adagrad = OptimiserOf<AdagradRule>;

}  // namespace gradus::nn
#pragma GCC visibility pop
