#include "training/rules_by_name.hpp"

#include <gradus/nn/optim.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace gradus::models {
namespace {

template <class T>
struct Named {
  std::string_view name;
  T make;
};

// The entry of this name. @throws Error listing the known names.
template <class T, std::size_t n>
const T& find(const char* kind, const std::string& name, const Named<T> (&table)[n]) {
  std::string names;
  for (const Named<T>& row : table) {
    if (row.name == name) return row.make;
    names.append(names.empty() ? "" : ", ").append(row.name);
  }
  fail("Trainer", "unknown ", kind, " '", name, "'; available: ", names);
}

template <class Rule>
std::unique_ptr<nn::Optimiser> make(const std::vector<Tensor>& parameters, double learning_rate) {
  Rule rule;
  rule.learning_rate = learning_rate;
  return std::make_unique<nn::OptimiserOf<Rule>>(parameters, rule);
}

using MakeOptimiser = std::unique_ptr<nn::Optimiser> (*)(const std::vector<Tensor>&, double);
constexpr Named<MakeOptimiser> optimisers[] = {
    {"adam", make<nn::AdamRule>},       {"adamw", make<nn::AdamWRule>},
    {"sgd", make<nn::SGDRule>},         {"adadelta", make<nn::AdadeltaRule>},
    {"rmsprop", make<nn::RMSpropRule>}, {"adagrad", make<nn::AdagradRule>},
};

// From 1 to the last factor in the given number of steps.
using MakeSchedule = nn::Schedule (*)(double last, std::int64_t steps);
constexpr Named<MakeSchedule> schedules[] = {
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

std::unique_ptr<nn::Optimiser> make_optimiser(const TrainerOptions& options,
                                              const std::vector<Tensor>& parameters) {
  return find("optimiser", options.optimiser, optimisers)(parameters, options.learning_rate);
}

nn::Schedule make_schedule(const TrainerOptions& options) {
  const MakeSchedule make = find("schedule", options.schedule, schedules);
  if (!(std::isfinite(options.final_factor) && options.final_factor >= 0)) {
    fail("Trainer", "final_factor must be finite and at least 0, and is ", options.final_factor);
  }
  if (options.warm_up < 0 || options.warm_up >= options.steps) {
    fail("Trainer", "warm_up must be at least 0 and less than the number of steps, ", options.steps,
         ", and is ", options.warm_up);
  }
  const std::int64_t rest = options.steps - options.warm_up;
  nn::Schedule falls = make(options.final_factor, std::max<std::int64_t>(rest - 1, 1));
  if (options.warm_up == 0) return falls;
  const double first = 1 / static_cast<double>(options.warm_up + 1);  // a rate of 0 would waste a step
  return nn::schedule::warm_up(options.warm_up, std::move(falls), first);
}

}  // namespace gradus::models
