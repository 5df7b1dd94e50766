#pragma once

#include <gradus/nn/optimiser.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// The factor on an optimiser's initial learning rate at step t = 0, 1, …
using Schedule = std::function<double(std::int64_t t)>;

/// Except where noted, these schedules have the same values as PyTorch's schedulers. Any function of the step
/// is a schedule too:
///
///     [](std::int64_t t) { return 1 / std::sqrt(1.0 + t); }
namespace schedule {

/// γ^⌊t / size⌋. @throws Error unless `size` is at least 1 and γ is finite and at least 0.
Schedule step(std::int64_t size, double gamma = 0.1);
/// γᵗ. @throws Error unless γ is finite and at least 0.
Schedule exponential(double gamma);
/// The factor changes linearly from `from` at t = 0 to `to` at t = steps. From then on, it is constant.
/// @throws Error unless `steps` ≥ 1 and both factors are finite and at least 0.
Schedule linear(double from, double to, std::int64_t steps);
/// m + ½ (1 − m) (1 + cos(π t / steps)) until t = steps, and m afterwards (Loshchilov and Hutter 2017, eq. 5,
/// without restarts). m is `minimum`, a factor; in the paper and in PyTorch, the minimum is a learning rate.
/// PyTorch's cosine rises again after `steps`.
/// @throws Error unless `steps` ≥ 1 and the minimum is finite and at least 0.
Schedule cosine(std::int64_t steps, double minimum = 0);
/// The factor changes linearly from `from` at t = 0 to 1 at t = steps. From then on, the schedule `then`
/// gives the factor, at t − steps:
///
///     schedule::warm_up(100, schedule::cosine(900))
///
/// @throws Error unless `steps` ≥ 1, `from` is finite and at least 0, and `then` is not empty.
Schedule warm_up(std::int64_t steps, Schedule then, double from = 0);

}  // namespace schedule

/// A schedule that models::TrainerOptions selects by name.
struct ScheduleKind {
  std::string_view name;
  /// Makes a schedule with factor 1 at t = 0 and `last` at t = steps. "constant" and "plateau" ignore both
  /// arguments.
  Schedule (*make)(double last, std::int64_t steps);
};

/// All named schedules: constant (always 1), linear, cosine, exponential and plateau. The plateau schedule is
/// always 1 too; a PlateauDetector lowers the rate.
std::span<const ScheduleKind> schedules();

/// The schedule of this name. @throws Error for an unknown name, listing the known ones.
const ScheduleKind& find_schedule(std::string_view name);

/// Sets each group's learning rate to the schedule's factor times the group's rate at construction. The
/// constructor sets the rates of step 0. The optimiser must outlive the scheduler.
class Scheduler {
 public:
  Scheduler(Optimiser& optimiser, Schedule schedule);

  /// Sets the learning rates of the next step; call once after each step of the optimiser.
  void step();

  /// Each group has an entry such as "group.0.initial_rate", an f64 scalar: the group's initial learning
  /// rate. The entry "steps", an i64 scalar, is the step t.
  NamedTensors state() const;
  /// Restores a state. The schedule itself is not part of the state. After an error, nothing has changed.
  /// @throws Error as StateReader::finish() does, or if the schedule's factor for the loaded step is negative
  /// or not finite.
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
