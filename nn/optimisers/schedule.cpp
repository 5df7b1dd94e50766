#include <gradus/autograd/scope.hpp>
#include <gradus/find_row.hpp>
#include <gradus/nn/schedule.hpp>
#include <gradus/nn/state_reader.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "optimisers/rule_checks.hpp"

namespace gradus::nn {
namespace schedule {
namespace {

void check_steps(const char* operation, const char* what, std::int64_t steps) {
  if (steps < 1) fail(operation, what, " must be at least 1, and is ", steps);
}

// The completed fraction of `steps` at step t. It is 1 at the end and afterwards.
double done(std::int64_t t, std::int64_t steps) {
  return static_cast<double>(std::min(t, steps)) / static_cast<double>(steps);
}

}  // namespace

Schedule step(std::int64_t size, double gamma) {
  check_steps("schedule::step", "the size", size);
  check_not_negative("schedule::step", "gamma", gamma);
  return [=](std::int64_t t) {
    const std::int64_t whole = t / size;
    return std::pow(gamma, static_cast<double>(whole));
  };
}

Schedule exponential(double gamma) {
  check_not_negative("schedule::exponential", "gamma", gamma);
  return [=](std::int64_t t) { return std::pow(gamma, static_cast<double>(t)); };
}

Schedule linear(double from, double to, std::int64_t steps) {
  check_steps("schedule::linear", "the number of steps", steps);
  check_not_negative("schedule::linear", "the first factor", from);
  check_not_negative("schedule::linear", "the last factor", to);
  return [=](std::int64_t t) { return from + (to - from) * done(t, steps); };
}

Schedule cosine(std::int64_t steps, double minimum) {
  check_steps("schedule::cosine", "the number of steps", steps);
  check_not_negative("schedule::cosine", "the minimum", minimum);
  return [=](std::int64_t t) {
    return minimum + 0.5 * (1 - minimum) * (1 + std::cos(std::numbers::pi * done(t, steps)));
  };
}

Schedule warm_up(std::int64_t steps, Schedule then, double from) {
  check_steps("schedule::warm_up", "the number of steps", steps);
  check_not_negative("schedule::warm_up", "the first factor", from);
  if (!then) fail("schedule::warm_up", "needs a schedule to follow the warm-up, and got an empty one");
  return [rise = linear(from, 1, steps), steps, then = std::move(then)](std::int64_t t) {
    return t < steps ? rise(t) : then(t - steps);
  };
}

}  // namespace schedule

namespace {

Schedule constant(double, std::int64_t) {
  return [](std::int64_t) { return 1.0; };
}

constexpr std::array kinds{
    ScheduleKind{"constant", constant},
    ScheduleKind{"linear", [](double last, std::int64_t steps) { return schedule::linear(1, last, steps); }},
    ScheduleKind{"cosine", [](double last, std::int64_t steps) { return schedule::cosine(steps, last); }},
    ScheduleKind{"exponential",
                 [](double last, std::int64_t steps) {
                   if (last == 0) {
                     fail("schedule",
                          "an exponential one cannot reach a factor of 0; give a positive final factor");
                   }
                   return schedule::exponential(std::pow(last, 1 / static_cast<double>(steps)));
                 }},
    ScheduleKind{"plateau", constant},
};

double factor_at(const Schedule& schedule, std::int64_t steps) {
  const double factor = schedule(steps);
  check_not_negative("Scheduler", "the schedule's factor", factor);
  return factor;
}

std::string initial_rate_entry(std::size_t group) {
  return "group." + std::to_string(group) + ".initial_rate";
}

}  // namespace

std::span<const ScheduleKind> schedules() { return kinds; }

const ScheduleKind& find_schedule(std::string_view name) {
  return find_row("find_schedule", "schedule", name, kinds, &ScheduleKind::name);
}

Scheduler::Scheduler(Optimiser& optimiser, Schedule schedule)
    : optimiser_(optimiser), schedule_(std::move(schedule)) {
  if (!schedule_) fail("Scheduler", "needs a schedule, and got an empty one");
  for (std::size_t group = 0; group < optimiser.group_count(); ++group) {
    initial_rates_.push_back(optimiser.learning_rate(group));
  }
  go_to(0);
}

void Scheduler::step() { go_to(steps_ + 1); }

void Scheduler::go_to(std::int64_t steps) {
  const double factor = factor_at(schedule_, steps);
  for (std::size_t group = 0; group < initial_rates_.size(); ++group) {
    optimiser_.set_learning_rate(group, initial_rates_[group] * factor);
  }
  steps_ = steps;
}

NamedTensors Scheduler::state() const {
  NamedTensors state;
  for (std::size_t group = 0; group < initial_rates_.size(); ++group) {
    state.emplace_back(initial_rate_entry(group), full({}, initial_rates_[group], Dtype::f64));
  }
  state.emplace_back("steps", tensor(std::vector{steps_}, {}));
  return state;
}

void Scheduler::load_state(const NamedTensors& state) {
  StateReader reader(state);
  std::vector<double> initial_rates;
  for (std::size_t group = 0; group < initial_rates_.size(); ++group) {
    initial_rates.push_back(reader.not_negative(initial_rate_entry(group)));
  }
  const std::int64_t steps = reader.count("steps");
  reader.finish("Scheduler", "load it into a scheduler of an optimiser with the same groups");
  factor_at(schedule_, steps);  // throws before anything changes
  initial_rates_ = std::move(initial_rates);
  go_to(steps);
}

}  // namespace gradus::nn
