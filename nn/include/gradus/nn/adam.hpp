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
/// ε is added to the corrected √v̂ as in algorithm 1, not to √v as at the end of section 2. State: `m`, `v`.
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

/// Adam with decoupled weight decay (Loshchilov and Hutter 2019, algorithm 2), as PyTorch computes it. No λ θ
/// is added to the gradient; instead, each step begins with θ ← (1 − η λ) θ. The paper multiplies λ by the
/// schedule's factor only, not by the learning rate.
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
