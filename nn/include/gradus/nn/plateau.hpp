#pragma once

#include <gradus/nn/optimiser.hpp>

#include <cstdint>

#pragma GCC visibility push(default)
namespace gradus::nn {

enum class Better { lower, higher };

struct PlateauOptions {
  Better better = Better::lower;  ///< direction of improvement
  double factor = 0.1;            ///< factor on the learning rates at each reduction
  std::int64_t patience = 10;     ///< number of metrics in a row without improvement that are tolerated
  double threshold = 1e-4;        ///< least improvement that counts, relative to the best metric
  std::int64_t cooldown = 0;      ///< number of metrics after a reduction that do not count towards patience
  double minimum = 0;             ///< lower bound of the learning rates
};

/// Detects that a metric has stopped improving, like PyTorch's ReduceLROnPlateau. A metric is better if it
/// improves on the best so far by more than threshold · |best|. NaN is never better.
///
/// PyTorch compares the metric with best · (1 ∓ threshold). For a positive best metric this is the same
/// comparison. If the best metric is negative, PyTorch also accepts slightly worse metrics as better.
class PlateauDetector {
 public:
  /// @throws Error for a factor outside [0, 1), and for other options that are negative or not finite.
  explicit PlateauDetector(PlateauOptions options = {});

  /// Call with the metric after each evaluation. Returns true if the learning rates must be reduced.
  bool step(double metric);

  /// The learning rate to which `rate` is reduced: max(factor · rate, minimum), but at most `rate`.
  double reduced(double rate) const;

  /// Three scalars. "best", f64: the best metric, initially ±∞. "bad", i64: the number of metrics since the
  /// last improvement, reduction or cooldown. "cooldown", i64: how many of the next metrics do not count
  /// towards patience.
  NamedTensors state() const;
  /// Restores a state.
  /// @throws Error as StateReader::finish() does, and if "best" is NaN. After an error, nothing has changed.
  void load_state(const NamedTensors& state);

 private:
  bool is_better(double metric) const;

  PlateauOptions options_;
  double best_;
  std::int64_t bad_ = 0;
  std::int64_t cooldown_ = 0;
};

/// Reduces an optimiser's learning rates when a metric has stopped improving, like PyTorch's
/// ReduceLROnPlateau. (PyTorch makes no reduction of 1e-8 or less.) The optimiser must outlive the
/// Plateau, and must have no Scheduler, which would overwrite the rates.
class Plateau {
 public:
  /// @throws Error as PlateauDetector() does.
  explicit Plateau(Optimiser& optimiser, PlateauOptions options = {})
      : optimiser_(optimiser), detector_(options) {}

  /// Call with the metric after each evaluation. Returns true if at least one learning rate was reduced.
  bool step(double metric);

  /// The detector's state. The learning rates are in the optimiser's state.
  NamedTensors state() const { return detector_.state(); }
  /// @throws Error as PlateauDetector::load_state() does.
  void load_state(const NamedTensors& state) { detector_.load_state(state); }

 private:
  Optimiser& optimiser_;
  PlateauDetector detector_;
};

}  // namespace gradus::nn
#pragma GCC visibility pop
