#pragma once

#include <gradus/nn/optimiser.hpp>

#include <cstdint>

#pragma GCC visibility push(default)
namespace gradus::nn {

enum class Better { lower, higher };

struct PlateauOptions {
  Better better = Better::lower;  ///< which metrics are better
  double factor = 0.1;            ///< on the learning rates, at each reduction
  std::int64_t patience = 10;     ///< how many metrics may be no better before a reduction
  double threshold = 1e-4;        ///< of the best metric: smaller gains do not count
  std::int64_t cooldown = 0;      ///< for how many metrics after a reduction none counts as no better
  double minimum = 0;             ///< below which no learning rate is brought
};

/// Reduces an optimiser's learning rates when a metric has stopped to improve: PyTorch's ReduceLROnPlateau.
/// A metric is better when it passes the best so far by threshold · |best|; NaN never is. The optimiser must
/// live as long, and have no Scheduler, which would set the rates anew.
///
/// PyTorch compares with best · (1 ∓ threshold): the same above 0, but below it metrics that are a little
/// worse pass for better there. It also leaves out reductions by less than 1e-8.
class Plateau {
 public:
  /// @throws Error for a factor outside [0, 1), and for other options below 0.
  explicit Plateau(Optimiser& optimiser, PlateauOptions options = {});

  /// To be called with the metric after each evaluation. Whether the learning rates were reduced.
  bool step(double metric);

  /// "best", f64 () and infinite at first; "bad", the metrics in a row that were no better, and "cooldown",
  /// for how many more none counts, i64 (). The learning rates are in the optimiser's state.
  NamedTensors state() const;
  /// @throws Error that lists all entries that are missing, unexpected or do not fit; nothing is loaded then.
  void load_state(const NamedTensors& state);

 private:
  bool is_better(double metric) const;

  Optimiser& optimiser_;
  PlateauOptions options_;
  double best_;
  std::int64_t bad_ = 0;
  std::int64_t cooldown_ = 0;
};

}  // namespace gradus::nn
#pragma GCC visibility pop
