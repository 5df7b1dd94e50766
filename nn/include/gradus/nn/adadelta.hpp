#pragma once

#include <gradus/nn/optimiser.hpp>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// Adadelta (Zeiler 2012, algorithm 1), as PyTorch computes it:
///
///     g ← g + λ θ
///     v ← ρ v + (1 − ρ) g²                 the paper's E[g²]
///     Δ = √(u + ε) / √(v + ε) · g
///     u ← ρ u + (1 − ρ) Δ²                 the paper's E[Δx²]
///     θ ← θ − η Δ
///
/// ε is inside both roots. The paper has neither η (1 by default) nor λ. The default ρ and ε are those of
/// Bahdanau et al. 2015, B.2; PyTorch's default ρ is 0.9. State: `v`, `u`.
struct AdadeltaRule {
  double learning_rate = 1;  ///< η
  double rho = 0.95;
  double epsilon = 1e-6;
  double weight_decay = 0;  ///< λ

  static constexpr const char* name = "Adadelta";
  static constexpr bool elementwise = true;
  void check() const;
  std::vector<std::string> averages() const { return {"v", "u"}; }
  void update(Update& update) const;
};
using Adadelta = OptimiserOf<AdadeltaRule>;

}  // namespace gradus::nn
#pragma GCC visibility pop
