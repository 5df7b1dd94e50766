#pragma once

#include <gradus/nn/optimiser.hpp>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// RMSprop (Tieleman and Hinton 2012, lecture 6.5; centered: Graves 2013, eq. 38–41), as PyTorch computes it:
///
///     g ← g + λ θ
///     v ← α v + (1 − α) g²;   if centered, also   g_ave ← α g_ave + (1 − α) g
///     Δ = g / (√v + ε);       if centered   Δ = g / (√(v − g_ave²) + ε)
///     θ ← θ − η Δ;            with momentum   b ← μ b + Δ,   θ ← θ − η b
///
/// In Graves's equations, ε is inside the root and η inside the average b. State: `v`; `g_ave` if centered;
/// `b` unless μ = 0. PyTorch's default η is 0.01.
struct RMSpropRule {
  double learning_rate = 1e-3;  ///< η
  double alpha = 0.99;
  double epsilon = 1e-8;
  double weight_decay = 0;  ///< λ
  double momentum = 0;      ///< μ
  bool centered = false;

  static constexpr const char* name = "RMSprop";
  static constexpr bool elementwise = true;
  void check() const;
  std::vector<std::string> averages() const;
  void update(Update& update) const;
};
using RMSprop = OptimiserOf<RMSpropRule>;

}  // namespace gradus::nn
#pragma GCC visibility pop
