#pragma once

#include <gradus/nn/optimiser.hpp>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// Gradient descent with momentum, as PyTorch computes it at step t:
///
///     g ← g + λ θ
///     b ← g at the first step, then μ b + (1 − τ) g
///     θ ← θ − η b,   or with Nesterov's momentum   θ ← θ − η (g + μ b)
///
/// and θ ← θ − η g if μ = 0. Sutskever et al. 2013 (eq. 1–2; eq. 3–4 for Nesterov's momentum) include η in
/// the average: v ← μ v − η g. With τ = 0, the two forms are equivalent if η is constant. For Nesterov's
/// momentum, this θ is their θ + μ v. State: `b`, unless μ = 0. PyTorch's default η is 0.001.
struct SGDRule {
  double learning_rate = 0.1;  ///< η
  double momentum = 0;         ///< μ
  double dampening = 0;        ///< τ
  double weight_decay = 0;     ///< λ
  bool nesterov = false;       ///< requires μ > 0 and τ = 0

  static constexpr const char* name = "SGD";
  static constexpr bool elementwise = true;
  void check() const;
  std::vector<std::string> averages() const;
  void update(Update& update) const;
};
using SGD = OptimiserOf<SGDRule>;

}  // namespace gradus::nn
#pragma GCC visibility pop
