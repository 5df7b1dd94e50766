#pragma once

#include <gradus/nn/optimiser.hpp>

#include <cstdint>
#include <functional>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// The learning rate at step t = 0, 1, … as a factor on the one that the optimiser began with.
using Schedule = std::function<double(std::int64_t t)>;

/// The values are those of PyTorch's schedulers. Any function of the step is a schedule too:
///
///     [](std::int64_t t) { return 1 / std::sqrt(1.0 + t); }
namespace schedule {

/// γ^⌊t / size⌋. @throws Error unless the size is at least 1 and γ finite and at least 0.
Schedule step(std::int64_t size, double gamma = 0.1);
/// γᵗ. @throws Error unless γ is finite and at least 0.
Schedule exponential(double gamma);
/// From `from` at t = 0 in a straight line to `to` at t = steps, and that from then on.
/// @throws Error unless there is a step, and both factors are finite and at least 0.
Schedule linear(double from, double to, std::int64_t steps);
/// m + ½ (1 − m) (1 + cos(π t / steps)), and m from t = steps on (Loshchilov and Hutter 2017, eq. 5, without
/// restarts). `minimum`, m, is a factor here, and a learning rate in the paper and in PyTorch, whose cosine
/// rises again after `steps`.
/// @throws Error unless there is a step, and the minimum is finite and at least 0.
Schedule cosine(std::int64_t steps, double minimum = 0);
/// In a straight line from `from` at t = 0 to 1 at t = steps, where `then` begins as at its step 0:
///
///     schedule::warm_up(100, schedule::cosine(900))
///
/// @throws Error unless there is a step, and the factor is finite and at least 0.
Schedule warm_up(std::int64_t steps, Schedule then, double from = 0);

}  // namespace schedule

/// Sets an optimiser's learning rates by a schedule, each group's from the one that it has when the scheduler
/// is made; step 0's at once. The optimiser must live as long.
class Scheduler {
 public:
  Scheduler(Optimiser& optimiser, Schedule schedule);

  /// Sets the learning rates of the next step; to be called once after each step of the optimiser.
  void step();

  /// The initial rates and the step: "group.0.initial_rate", f64 (), and so on, and "steps", i64 ().
  NamedTensors state() const;
  /// Goes on from there; the schedule itself is not part of the state.
  /// @throws Error that lists all entries that are missing, unexpected or do not fit; nothing is loaded then.
  void load_state(const NamedTensors& state);

 private:
  void go_to(std::int64_t steps);

  Optimiser& optimiser_;
  Schedule schedule_;
  std::vector<double> initial_rates_;
  std::int64_t steps_ = 0;  // t
};

}  // namespace gradus::nn
#pragma GCC visibility pop
