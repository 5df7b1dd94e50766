// Learning-rate schedules: PyTorch's numbers, composition, and saved states.

#include <gradus/nn/plateau.hpp>
#include <gradus/nn/schedule.hpp>
#include <gradus/nn/sgd.hpp>

#include <limits>

#include "golden.hpp"
#include "nn/helpers.hpp"

namespace nn = gradus::nn;
namespace schedule = gradus::nn::schedule;
using gradus::Dtype;
using gradus::NamedTensors;
using gradus::Tensor;
using gradus::tensor;
using nn::Better;
using nn::Plateau;
using nn::Scheduler;
using nn::SGD;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

// Two groups of parameters, as in schedules.txt.
std::vector<SGD::Group> two_groups() {
  return {{.parameters = {leaf(tensor({1}))}, .options = {.learning_rate = 0.1}},
          {.parameters = {leaf(tensor({1}))}, .options = {.learning_rate = 0.02}}};
}

SGD one_group(double rate) { return SGD({leaf(tensor({1}))}, {.learning_rate = rate}); }

// The rates of both groups in each of 21 steps, (21, 2). Calls next(t) after step t.
template <class Next>
Tensor rates(const nn::Optimiser& optimiser, Next next) {
  std::vector<double> seen;
  for (std::size_t t = 0; t < 21; ++t) {
    seen.push_back(optimiser.learning_rate(0));
    seen.push_back(optimiser.learning_rate(1));
    next(t);
  }
  return tensor(seen, {21, 2});
}

std::vector<double> factors(const nn::Schedule& schedule, std::int64_t steps) {
  std::vector<double> result;
  for (std::int64_t t = 0; t < steps; ++t) result.push_back(schedule(t));
  return result;
}

}  // namespace

TEST_CASE("schedules match PyTorch's schedulers", "[nn][schedule][golden]") {
  const Golden golden("schedules");
  const auto check = [&](const char* name, const nn::Schedule& chosen) {
    INFO(name);
    SGD sgd(two_groups());
    Scheduler scheduler(sgd, chosen);
    CHECK(mismatch(rates(sgd, [&](std::size_t) { scheduler.step(); }), golden[name], rounding) == "");
  };
  check("step", schedule::step(6, 0.3));
  check("exponential", schedule::exponential(0.9));
  check("linear", schedule::linear(0.2, 0.7, 13));
  check("cosine", schedule::cosine(20));
  check("cosine_minimum", schedule::cosine(20, 0.25));
  check("warm_up_exponential", schedule::warm_up(5, schedule::exponential(0.8), 0.25));
  check("warm_up_step", schedule::warm_up(4, schedule::step(3, 0.5), 0.5));
}

TEST_CASE("Plateau matches PyTorch's ReduceLROnPlateau", "[nn][schedule][golden]") {
  const Golden golden("schedules");
  const auto falling = golden["falling"].to_vector<double>();
  const auto check = [&](const char* name, const nn::PlateauOptions& options) {
    INFO(name);
    SGD sgd(two_groups());
    Plateau plateau(sgd, options);
    const auto next = [&](std::size_t t) {
      const double before = sgd.learning_rate(0);
      const double metric = options.better == Better::lower ? falling[t] : 6 - falling[t];
      const bool reduced = plateau.step(metric);
      CHECK(reduced == (sgd.learning_rate(0) < before));
    };
    CHECK(mismatch(rates(sgd, next), golden[name], rounding) == "");
  };
  check("plateau", {.factor = 0.5, .patience = 1, .threshold = 0.01});
  check("plateau_patience", {.factor = 0.5, .patience = 2, .threshold = 0});
  check("plateau_cooldown",
        {.factor = 0.5, .patience = 0, .threshold = 0.05, .cooldown = 2, .minimum = 0.004});
  check("plateau_higher", {.better = Better::higher, .factor = 0.5, .patience = 1, .threshold = 0.1});
}

TEST_CASE("schedules stay at their last value", "[nn][schedule]") {
  CHECK(factors(schedule::linear(1, 0.5, 2), 5) == std::vector<double>{1, 0.75, 0.5, 0.5, 0.5});
  CHECK(difference(factors(schedule::cosine(2, 0.5), 5), {1, 0.75, 0.5, 0.5, 0.5}, 1e-15) == "");
}

TEST_CASE("a warm-up reaches 1 where the next schedule begins", "[nn][schedule]") {
  CHECK(factors(schedule::warm_up(4, schedule::linear(1, 0, 2)), 8) ==
        std::vector<double>{0, 0.25, 0.5, 0.75, 1, 0.5, 0, 0});
  const auto twice = schedule::warm_up(1, schedule::warm_up(2, schedule::exponential(0.5), 0.5), 0.25);
  CHECK(factors(twice, 6) == std::vector<double>{0.25, 0.5, 0.75, 1, 0.5, 0.25});
}

TEST_CASE("any function of the step is a schedule", "[nn][schedule]") {
  SGD sgd = one_group(0.5);
  Scheduler scheduler(sgd, [](std::int64_t t) { return 1.0 / static_cast<double>(t + 1); });
  scheduler.step();
  CHECK(sgd.learning_rate() == 0.25);
}

TEST_CASE("a scheduler resumes from its state, whatever the rate at construction", "[nn][schedule]") {
  const auto chosen = schedule::warm_up(3, schedule::cosine(15), 0.1);
  SGD sgd(two_groups());
  Scheduler scheduler(sgd, chosen);
  for (int t = 0; t < 7; ++t) scheduler.step();
  const NamedTensors of_scheduler = scheduler.state(), of_sgd = sgd.state();
  CHECK(of_scheduler[0].first == "group.0.initial_rate");
  CHECK(of_scheduler[1].first == "group.1.initial_rate");
  CHECK(of_scheduler[2].first == "steps");

  SGD resumed(two_groups());
  resumed.load_state(of_sgd);
  Scheduler resumed_scheduler(resumed, chosen);
  resumed_scheduler.load_state(of_scheduler);
  for (int t = 7; t < 20; ++t) {
    CHECK(resumed.learning_rate(0) == sgd.learning_rate(0));
    CHECK(resumed.learning_rate(1) == sgd.learning_rate(1));
    scheduler.step();
    resumed_scheduler.step();
  }
}

TEST_CASE("a scheduler refuses a state that does not fit", "[nn][schedule]") {
  SGD two(two_groups()), one = one_group(0.5);
  Scheduler of_two(two, schedule::exponential(0.5)), of_one(one, schedule::exponential(0.5));
  of_two.step();
  CHECK_ERROR(of_one.load_state(of_two.state()),
              "Scheduler: the state does not fit, and nothing was loaded; unexpected: "
              "'group.1.initial_rate'; load it into a scheduler of an optimiser with the same groups");
  CHECK(one.learning_rate() == 0.5);
  of_one.step();
  CHECK(one.learning_rate() == 0.25);
}

TEST_CASE("Plateau resumes from its state", "[nn][schedule]") {
  const nn::PlateauOptions options{.factor = 0.5, .patience = 1, .cooldown = 1};
  const std::vector<double> metrics{3, 2, 2, 2, 2, 2, 2, 1.5, 2, 2, 2, 2, 2, 2};
  for (std::size_t stop = 0; stop < metrics.size(); ++stop) {
    INFO("stopped after " << stop);
    SGD whole = one_group(1), resumed = one_group(1);
    Plateau plateau(whole, options), resumed_plateau(resumed, options);
    for (std::size_t t = 0; t < stop; ++t) plateau.step(metrics[t]);
    resumed.load_state(whole.state());
    resumed_plateau.load_state(plateau.state());
    for (std::size_t t = stop; t < metrics.size(); ++t) {
      CHECK(plateau.step(metrics[t]) == resumed_plateau.step(metrics[t]));
      CHECK(whole.learning_rate() == resumed.learning_rate());
    }
    CHECK(whole.learning_rate() < 1);
  }
}

TEST_CASE("Plateau refuses a state that does not fit", "[nn][schedule]") {
  SGD sgd = one_group(1);
  Plateau plateau(sgd);
  const auto integer = [](std::int64_t value) { return tensor(std::vector{value}, {}); };
  CHECK_ERROR(
      plateau.load_state({{"bad", integer(-2)}, {"cooldown", tensor({1})}}),
      "Plateau: the state does not fit, and nothing was loaded; missing: 'best'; 'bad' is -2 and must "
      "be at least 0, 'cooldown' is (1) f32 and must be () i64; load the state of a Plateau");
  CHECK(plateau.state()[0].second.item() == inf);
}

TEST_CASE("NaN is never better, and negative metrics are compared correctly", "[nn][schedule]") {
  SGD sgd = one_group(1);
  SECTION("NaN") {
    Plateau plateau(sgd, {.patience = 0});
    plateau.step(1);
    CHECK(plateau.step(std::numeric_limits<double>::quiet_NaN()));
  }
  SECTION("a little worse than -5") {
    Plateau plateau(sgd, {.patience = 0, .threshold = 0.1});
    plateau.step(-5);
    CHECK(plateau.step(-4.6));
  }
  SECTION("a little better than -5") {
    Plateau plateau(sgd, {.patience = 0, .threshold = 0.1});
    plateau.step(-5);
    CHECK(plateau.step(-5.4));
    CHECK_FALSE(plateau.step(-5.6));
  }
}

TEST_CASE("a rate at its minimum is not reduced", "[nn][schedule]") {
  SGD sgd = one_group(0.5);
  Plateau plateau(sgd, {.patience = 0, .minimum = 0.25});
  plateau.step(1);
  CHECK(plateau.step(1));
  CHECK(sgd.learning_rate() == 0.25);
  CHECK_FALSE(plateau.step(1));
  sgd.set_learning_rate(0.125);
  CHECK_FALSE(plateau.step(1));
  CHECK(sgd.learning_rate() == 0.125);
}

TEST_CASE("schedules refuse numbers outside their ranges", "[nn][schedule]") {
  const std::string at_least = " must be finite and at least 0, and is ";
  CHECK_ERROR(schedule::step(0), "schedule::step: the size must be at least 1, and is 0");
  CHECK_ERROR(schedule::step(1, -1), "schedule::step: gamma" + at_least + "-1");
  CHECK_ERROR(schedule::exponential(inf), "schedule::exponential: gamma" + at_least + "inf");
  CHECK_ERROR(schedule::linear(1, 0, 0),
              "schedule::linear: the number of steps must be at least 1, and is 0");
  CHECK_ERROR(schedule::linear(-1, 0, 1), "schedule::linear: the first factor" + at_least + "-1");
  CHECK_ERROR(schedule::linear(1, -1, 1), "schedule::linear: the last factor" + at_least + "-1");
  CHECK_ERROR(schedule::cosine(0), "schedule::cosine: the number of steps must be at least 1, and is 0");
  CHECK_ERROR(schedule::cosine(1, -1), "schedule::cosine: the minimum" + at_least + "-1");
  const nn::Schedule constant = schedule::exponential(1);
  CHECK_ERROR(schedule::warm_up(-1, constant),
              "schedule::warm_up: the number of steps must be at least 1, and is -1");
  CHECK_ERROR(schedule::warm_up(1, constant, -1), "schedule::warm_up: the first factor" + at_least + "-1");
}

TEST_CASE("Plateau refuses options outside their ranges", "[nn][schedule]") {
  SGD sgd = one_group(1);
  const std::string at_least = " must be finite and at least 0, and is ";
  CHECK_ERROR(Plateau(sgd, {.factor = 1}), "Plateau: the factor must be in [0, 1), and is 1");
  CHECK_ERROR(Plateau(sgd, {.patience = -1}), "Plateau: patience" + at_least + "-1");
  CHECK_ERROR(Plateau(sgd, {.threshold = -1}), "Plateau: the threshold" + at_least + "-1");
  CHECK_ERROR(Plateau(sgd, {.cooldown = -1}), "Plateau: cooldown" + at_least + "-1");
  CHECK_ERROR(Plateau(sgd, {.minimum = inf}), "Plateau: the minimum" + at_least + "inf");
}

TEST_CASE("a schedule that fails changes neither the rates nor the step", "[nn][schedule]") {
  SGD sgd = one_group(1);
  nn::Scheduler scheduler(sgd, [](std::int64_t t) { return t < 2 ? 0.5 : -1.0; });
  scheduler.step();
  CHECK_ERROR(scheduler.step(), "Scheduler: the schedule's factor must be finite and at least 0, and is -1");
  CHECK_ERROR(scheduler.step(), "Scheduler: the schedule's factor must be finite and at least 0, and is -1");
  CHECK(sgd.learning_rate() == 0.5);
  CHECK(scheduler.state().back().second.item() == 1);
}

TEST_CASE("a schedule that fails at a loaded step leaves the scheduler unchanged", "[nn][schedule]") {
  SGD other = one_group(0.5), sgd = one_group(1);
  Scheduler further(other, schedule::exponential(1));
  for (int step = 0; step < 7; ++step) further.step();
  Scheduler scheduler(sgd, [](std::int64_t t) { return t < 7 ? 1.0 : -1.0; });
  CHECK_ERROR(scheduler.load_state(further.state()),
              "Scheduler: the schedule's factor must be finite and at least 0, and is -1");
  CHECK(scheduler.state().front().second.item() == 1);
  CHECK(scheduler.state().back().second.item() == 0);
  CHECK(sgd.learning_rate() == 1);
}

TEST_CASE("an empty schedule is refused", "[nn][schedule]") {
  SGD sgd = one_group(1);
  CHECK_ERROR(nn::Scheduler(sgd, nn::Schedule()), "Scheduler: needs a schedule, and got an empty one");
  CHECK_ERROR(nn::schedule::warm_up(1, nn::Schedule()),
              "schedule::warm_up: needs a schedule to follow the warm-up, and got an empty one");
}

TEST_CASE("a best metric that is NaN is not loaded", "[nn][schedule]") {
  SGD sgd = one_group(1);
  Plateau plateau(sgd);
  plateau.step(3);
  NamedTensors state = plateau.state();
  state[0].second = gradus::full({}, std::numeric_limits<double>::quiet_NaN(), Dtype::f64);
  CHECK_ERROR(plateau.load_state(state),
              "Plateau: 'best' is nan, so no metric could be better; nothing was loaded");
  CHECK(plateau.state()[0].second.item() == 3);
}
