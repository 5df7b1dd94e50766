#include "training/schedules.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/find_row.hpp"

namespace gradus::models {
namespace {

struct ScheduleKind {
  const char* name;
  nn::Schedule (*make)(double last, std::int64_t steps);  // from 1 to `last` in this number of steps
};

constexpr ScheduleKind schedules[] = {
    {"constant", [](double, std::int64_t) -> nn::Schedule { return [](std::int64_t) { return 1.0; }; }},
    {"linear", [](double last, std::int64_t steps) { return nn::schedule::linear(1, last, steps); }},
    {"cosine", [](double last, std::int64_t steps) { return nn::schedule::cosine(steps, last); }},
    {"exponential",
     [](double last, std::int64_t steps) {
       if (last == 0)
         fail("Trainer", "an exponential schedule cannot reach a factor of 0; give a positive final_factor");
       return nn::schedule::exponential(std::pow(last, 1 / static_cast<double>(steps)));
     }},
};

}  // namespace

std::vector<std::string> schedule_names() {
  std::vector<std::string> names;
  for (const ScheduleKind& kind : schedules) names.emplace_back(kind.name);
  return names;
}

nn::Schedule make_schedule(const TrainerOptions& options) {
  const ScheduleKind& kind =
      find_row("Trainer", "schedule", options.schedule, schedules, &ScheduleKind::name);
  if (!(std::isfinite(options.final_factor) && options.final_factor >= 0)) {
    fail("Trainer", "final_factor must be finite and at least 0, and is ", options.final_factor);
  }
  if (options.warm_up < 0 || options.warm_up >= options.steps) {
    fail("Trainer", "warm_up must be at least 0 and less than the number of steps, ", options.steps,
         ", and is ", options.warm_up);
  }
  const std::int64_t rest = options.steps - options.warm_up;
  nn::Schedule falls = kind.make(options.final_factor, std::max<std::int64_t>(rest - 1, 1));
  if (options.warm_up == 0) return falls;
  const double first = 1 / static_cast<double>(options.warm_up + 1);  // a rate of 0 would waste a step
  return nn::schedule::warm_up(options.warm_up, std::move(falls), first);
}

}  // namespace gradus::models
