#pragma once

#include <gradus/nn/optimiser.hpp>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// Adam (Kingma and Ba 2015, algorithm 1), as PyTorch computes it at step t:
///
///     g ← g + λ θ
///     m ← β₁ m + (1 − β₁) g,   v ← β₂ v + (1 − β₂) g²
///     θ ← θ − η / (1 − β₁ᵗ) · m / (√v / √(1 − β₂ᵗ) + ε)
///
/// ε stands where algorithm 1 has it, not where the end of its section 2 moves it. State: `m`, `v`.
struct AdamRule {
  double learning_rate = 1e-3;  ///< η
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0;  ///< λ

  static constexpr const char* name = "Adam";
  static constexpr bool elementwise = true;
  void check() const;
  std::vector<std::string> averages() const { return {"m", "v"}; }
  void update(Update& update) const;
};
using Adam = OptimiserOf<AdamRule>;

/// Adam with decoupled weight decay (Loshchilov and Hutter 2019, algorithm 2), as PyTorch computes it: where
/// Adam adds λ θ to the gradient, here θ ← (1 − η λ) θ comes first. The paper's λ is not multiplied by the
/// learning rate but by a schedule's factor alone.
struct AdamWRule {
  double learning_rate = 1e-3;  ///< η
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 1e-2;  ///< λ

  static constexpr const char* name = "AdamW";
  static constexpr bool elementwise = true;
  void check() const;
  std::vector<std::string> averages() const { return {"m", "v"}; }
  void update(Update& update) const;
};
using AdamW = OptimiserOf<AdamWRule>;

}  // namespace gradus::nn
#pragma GCC visibility pop
