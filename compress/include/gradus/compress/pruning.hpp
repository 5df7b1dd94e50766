#pragma once

#include <gradus/nn/module.hpp>

#include <cstdint>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::compress {

/// The weights that prune() compares with each other to find the smallest.
enum class PruningScope {
  global,      ///< all matrices together: matrices with small weights lose more of them
  per_matrix,  ///< each matrix loses the same fraction
};

/// Pruning by magnitude (Han et al. 2015, "Learning both weights and connections for efficient neural
/// networks"). Sets the weights with the smallest |W_ij|, a fraction s of all, to 0:
///
///     W ← M ∘ W,   M_ij = 0 if |W_ij| is among the round(s n) smallest of n weights, else 1
///
/// Prunes every f32 matrix of the parameters, including embeddings, but not vectors such as biases. Ties are
/// pruned in the order of named_parameters(), then row by row.
///
/// M is constant within a training step. So if g is the gradient of M ∘ W, the gradient of W is M ∘ g. While
/// a Pruning exists, it multiplies the gradients of trained parameters by M. An optimiser with momentum, such
/// as Adam, may still move a pruned weight, so call hold() after each update:
///
///     Pruning pruning(model);
///     pruning.prune(0.8);
///     options.after_update = [&](std::int64_t) { pruning.hold(); };   // of models::TrainerOptions
///
/// The matrices stay dense in memory and in files, so pruning makes neither products faster nor files
/// smaller. For a smaller model, see keep_units() (units.hpp).
class Pruning {
 public:
  /// Prunes nothing yet. The model must outlive this object.
  explicit Pruning(nn::Module& model, PruningScope scope = PruningScope::global);
  ~Pruning();
  Pruning(const Pruning&) = delete;
  Pruning& operator=(const Pruning&) = delete;

  /// Prunes the fraction s in [0, 1] of the weights: chooses M by the current weights, and sets W ← M ∘ W.
  /// Weights that are already 0 are chosen first, so that pruned weights stay pruned when s grows.
  /// @throws Error if s is outside [0, 1], or a matrix has a value that is not finite; the message names this
  /// matrix. Nothing changes in either case.
  void prune(double sparsity);
  /// W ← M ∘ W with the M of the last prune().
  void hold();
  /// The fraction of weights with M_ij = 0.
  double sparsity() const;

 private:
  struct Matrix {
    std::string name;
    Tensor weight;
    Tensor mask;    // M, of the weight's shape
    int hook = -1;  // on the weight's gradient
  };
  std::vector<Matrix> matrices_;
  PruningScope scope_;
};

/// The gradual schedule of Zhu and Gupta (2017), "To prune, or not to prune", eq. 1, with s_i = 0:
///
///     s_t = s_f − s_f (1 − (t − t_0) / (t_1 − t_0))³   for t = t_0, t_0 + Δt, …, t_1
///
/// Prunes many weights in the early steps, when many are redundant, and few in the last steps.
struct GradualPruning {
  double sparsity;         ///< s_f, in [0, 1]
  std::int64_t from;       ///< t_0 ≥ 0: the start of the schedule, with s = 0
  std::int64_t until;      ///< t_1 > t_0: the first step with s_f
  std::int64_t every = 1;  ///< Δt ≥ 1: steps between two changes of s

  /// The sparsity s after step t: 0 for t ≤ t_0, and s_f for t ≥ t_1. s changes only at the steps of the
  /// schedule.
  /// @throws Error for a field outside its range.
  double at(std::int64_t step) const;
};

}  // namespace gradus::compress
#pragma GCC visibility pop
