// Trainer options, schedules, and the end of training.

#include <gradus/models/trainer.hpp>
#include <gradus/nn/optim.hpp>
#include <gradus/nn/optimisers.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "golden.hpp"
#include "models/helpers.hpp"

namespace data = gradus::data;
namespace models = gradus::models;
namespace nn = gradus::nn;
using gradus::Tensor;
using models::Trainer;
using models::TrainerOptions;

namespace {

Model model() {
  gradus::seed(1);
  return models::make_bahdanau(tiny);
}

std::vector<double> rates(const TrainerOptions& options) {
  const Model trained = model();
  Trainer trainer(*trained, {.next = reversals(1)}, options);
  std::vector<double> seen;
  while (!trainer.finished()) seen.push_back(trainer.step().learning_rate);
  return seen;
}

void check_rates(const TrainerOptions& options, const std::vector<double>& expected) {
  INFO(options.schedule);
  const auto seen = rates(options);
  REQUIRE(seen.size() == expected.size());
  for (std::size_t t = 0; t < seen.size(); ++t) CHECK(std::abs(seen[t] - expected[t]) < 1e-15);
}

// The error message of a Trainer with these options.
std::string refusal(const TrainerOptions& options) {
  const Model trained = model();
  const auto before = snapshot(*trained);
  std::string message;
  try {
    const Trainer trainer(*trained, {.next = reversals(1)}, options);
  } catch (const gradus::Error& error) {
    message = error.what();
  }
  CHECK(snapshot(*trained) == before);
  return message;
}

}  // namespace

TEST_CASE("each optimiser name selects its optimiser", "[models][trainer]") {
  std::vector<std::string_view> checked;
  const auto check = [&checked](const std::string& name, const auto& make) {
    INFO(name);
    checked.push_back(gradus::nn::find_optimiser(name).name);
    const Model trained = model(), expected = model();
    Trainer trainer(*trained, {.next = reversals(3)},
                    {.steps = 3, .optimiser = name, .learning_rate = 0.02, .schedule = "constant"});
    const auto optimiser = make(expected->parameters());
    const auto next = reversals(3);
    while (!trainer.finished()) {
      trainer.step();
      expected->zero_grad();
      models::loss(*expected, next()).total.backward();
      nn::clip_grad_norm(expected->parameters(), 1);
      optimiser->step();
    }
    CHECK(snapshot(*trained) == snapshot(*expected));
  };
  const auto rule = []<class Rule>(Rule given) {
    given.learning_rate = 0.02;
    return [given](const std::vector<Tensor>& parameters) {
      return std::make_unique<nn::OptimiserOf<Rule>>(parameters, given);
    };
  };
  check("adam", rule(nn::AdamRule{}));
  check("adamw", rule(nn::AdamWRule{}));
  check("sgd", rule(nn::SGDRule{}));
  check("adadelta", rule(nn::AdadeltaRule{}));
  check("rmsprop", rule(nn::RMSpropRule{}));
  check("adagrad", rule(nn::AdagradRule{}));
  CHECK(std::ranges::equal(checked, gradus::nn::optimisers(), {}, {}, &gradus::nn::OptimiserKind::name));
}

TEST_CASE("the table of optimisers has each rule's running values and learning rate", "[models][trainer]") {
  for (const gradus::nn::OptimiserKind& kind : gradus::nn::optimisers()) {
    INFO(kind.name);
    Tensor parameter = leaf(gradus::ones({2}));
    parameter.set_grad(gradus::ones({2}));
    const auto optimiser = kind.make({parameter}, 0.25, kind.weight_decay);
    CHECK(optimiser->learning_rate() == 0.25);
    CHECK(kind.weight_decay == (kind.name == "adamw" ? 0.01 : 0));
    optimiser->step();
    // Besides the averages, the optimiser's state has the rate and the parameter's step count.
    CHECK(std::ssize(optimiser->state()) - 2 == kind.averages);
    CHECK(kind.learning_rate > 0);
  }
  CHECK(gradus::nn::find_optimiser("adam").learning_rate == 0.001);
  CHECK(gradus::nn::find_optimiser("sgd").learning_rate == 0.1);
}

TEST_CASE("the weight decay is the optimiser's", "[models][trainer]") {
  const Model trained = model(), expected = model();
  Trainer trainer(
      *trained, {.next = reversals(3)},
      {.steps = 2, .optimiser = "adamw", .learning_rate = 0.02, .weight_decay = 0.3, .schedule = "constant"});
  nn::AdamWRule rule;
  rule.learning_rate = 0.02;
  rule.weight_decay = 0.3;
  nn::OptimiserOf<nn::AdamWRule> optimiser(expected->parameters(), rule);
  const auto next = reversals(3);
  while (!trainer.finished()) {
    trainer.step();
    expected->zero_grad();
    models::loss(*expected, next()).total.backward();
    nn::clip_grad_norm(expected->parameters(), 1);
    optimiser.step();
  }
  CHECK(snapshot(*trained) == snapshot(*expected));
}

TEST_CASE("accumulated batches have the gradient of one batch with all their pairs", "[models][trainer]") {
  const std::vector<std::vector<data::Pair>> parts = {
      {{{3, 8, 5, 3}, {7, 4, 2}}}, {{{6}, {8, 8, 3, 5, 6, 2}}, {{4, 7}, {2}}}, {{{5, 5}, {3, 2}}}};
  std::vector<data::Pair> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  const Model trained = model(), expected = model();
  const auto options = [](std::int64_t accumulate) {
    return TrainerOptions{.steps = 2, .optimiser = "sgd", .learning_rate = 0.5, .accumulate = accumulate};
  };
  std::size_t taken = 0;
  Trainer trainer(*trained, {.next = [&] { return data::make_batch(parts[taken++ % 3]); }}, options(3));
  Trainer whole(*expected, {.next = [&] { return data::make_batch(all); }}, options(1));
  for (int step = 1; step <= 2; ++step) {
    const models::TrainStep found = trainer.step(), wanted = whole.step();
    CHECK(found.step == step);
    CHECK(taken == static_cast<std::size_t>(3 * step));
    CHECK(found.tokens == wanted.tokens);
    CHECK(std::abs(found.loss - wanted.loss) < 1e-5);
    CHECK(std::abs(found.cross_entropy - wanted.cross_entropy) < 1e-5);
    CHECK(std::abs(found.gradient_norm - wanted.gradient_norm) < 1e-5);
  }
  const auto a = trained->state_dict(), b = expected->state_dict();
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(mismatch(a[i].second, b[i].second, {1e-5, 1e-5}) == "");
}

TEST_CASE("each schedule name selects its schedule, which ends at the last step", "[models][trainer]") {
  const auto of = [](const char* name, std::int64_t warm_up = 0) {
    return TrainerOptions{
        .steps = 5, .learning_rate = 0.8, .schedule = name, .final_factor = 0.0625, .warm_up = warm_up};
  };
  check_rates(of("constant"), {0.8, 0.8, 0.8, 0.8, 0.8});
  check_rates(of("linear"), {0.8, 0.6125, 0.425, 0.2375, 0.05});
  check_rates(of("exponential"), {0.8, 0.4, 0.2, 0.1, 0.05});
  const double c = 0.375 * std::cos(std::acos(-1.0) / 4);  // ½ (0.8 − 0.05) cos(π/4)
  check_rates(of("cosine"), {0.8, 0.425 + c, 0.425, 0.425 - c, 0.05});
  check_rates(of("constant", 3), {0.2, 0.4, 0.6, 0.8, 0.8});
  check_rates(of("linear", 2), {0.8 / 3, 1.6 / 3, 0.8, 0.425, 0.05});
  check_rates(of("exponential", 4), {0.16, 0.32, 0.48, 0.64, 0.8});
}

TEST_CASE("the plateau schedule has the rates of PyTorch's ReduceLROnPlateau", "[models][trainer][golden]") {
  const Golden golden("schedules");
  const auto falling = golden["falling"].to_vector<double>();
  const auto expected = golden["plateau_training"].to_vector<double>();  // the rates of two groups
  const Model trained = model();
  for (const nn::Better better : {nn::Better::lower, nn::Better::higher}) {
    Trainer trainer(*trained, {.next = reversals(1)},
                    {.learning_rate = 0.1,
                     .schedule = "plateau",
                     .final_factor = 0.02,
                     .plateau_factor = 0.3,
                     .plateau_patience = 1,
                     .eval_every = 1,
                     .better = better});
    for (std::size_t t = 0; t < falling.size(); ++t) {
      CHECK(trainer.learning_rate() == Catch::Approx(expected[2 * t]).epsilon(1e-6));
      trainer.observe(better == nn::Better::lower ? falling[t] : -falling[t]);
    }
    CHECK(trainer.learning_rate() == Catch::Approx(0.002));
  }
}

TEST_CASE("steps use the rate that the plateau schedule lowered, after a warm-up too", "[models][trainer]") {
  const Model trained = model();
  Trainer trainer(
      *trained, {.next = reversals(1)},
      {.learning_rate = 0.8, .schedule = "plateau", .plateau_patience = 0, .warm_up = 1, .eval_every = 1});
  CHECK(trainer.step().learning_rate == 0.4);
  trainer.observe(2);
  CHECK(trainer.step().learning_rate == 0.8);
  trainer.observe(2);
  CHECK(trainer.step().learning_rate == 0.4);
  trainer.observe(1);
  CHECK(trainer.step().learning_rate == 0.4);
  for (int i = 0; i < 9; ++i) trainer.observe(1);
  CHECK(trainer.step().learning_rate == Catch::Approx(0.08));  // the lowest rate, final_factor · 0.8
}

TEST_CASE("sampling rises from 0 at the first step to its option at the last", "[models][trainer]") {
  const Model trained = model(), same = model();
  Trainer trainer(*trained, {.next = reversals(3)},
                  {.steps = 3, .learning_rate = 0, .loss = {.sampling = 0.8}});
  const auto next = reversals(3);
  for (const double sampling : {0.0, 0.4, 0.8}) {
    gradus::seed(11);
    const double loss = trainer.step().loss;
    gradus::seed(11);
    CHECK(loss == models::loss(*same, next(), {.sampling = sampling}).total.item());
  }
}

TEST_CASE("a step reports the minimised loss and the cross-entropy separately", "[models][trainer]") {
  const Model trained = model();
  const models::LossOptions options{.label_smoothing = 0.2, .attention_entropy = 0.5};
  const models::Loss expected = models::loss(*trained, reversals(3)(), options);
  Trainer trainer(*trained, {.next = reversals(3)}, {.loss = options});
  const models::TrainStep step = trainer.step();
  CHECK(step.loss == expected.total.item());
  CHECK(step.cross_entropy == expected.cross_entropy);
  CHECK(step.tokens == expected.tokens);
  CHECK(step.step == 1);
  CHECK(trainer.steps() == 1);
}

TEST_CASE("an evaluation is due once at each of its steps and after the last", "[models][trainer]") {
  const Model trained = model();
  Trainer trainer(*trained, {.next = reversals(1)}, {.steps = 5, .eval_every = 2});
  CHECK_FALSE(trainer.evaluation_due());
  std::vector<std::int64_t> evaluated;
  while (!trainer.finished()) {
    trainer.step();
    if (!trainer.evaluation_due()) continue;
    evaluated.push_back(trainer.steps());
    trainer.observe(1);
    CHECK_FALSE(trainer.evaluation_due());
  }
  CHECK(evaluated == std::vector<std::int64_t>{2, 4, 5});

  Trainer never(*trained, {.next = reversals(1)}, {.steps = 1});
  never.step();
  CHECK_FALSE(never.evaluation_due());
}

TEST_CASE("the trainer tracks the best score, and stops after patience evaluations without a new one",
          "[models][trainer]") {
  const Model trained = model();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const auto lower = GENERATE(true, false);
  const double sign = lower ? 1 : -1;
  const nn::Better better = lower ? nn::Better::lower : nn::Better::higher;
  Trainer trainer(*trained, {.next = reversals(1)}, {.better = better, .patience = 2});
  CHECK(trainer.best() == sign * std::numeric_limits<double>::infinity());
  CHECK_FALSE(trainer.observe(nan));
  CHECK(trainer.observe(sign * 5));
  CHECK(trainer.observe(sign * 3));
  CHECK_FALSE(trainer.observe(sign * 3));
  CHECK_FALSE(trainer.finished());
  CHECK(trainer.observe(sign * 2));  // an improvement resets the patience
  CHECK_FALSE(trainer.observe(sign * 4));
  CHECK_FALSE(trainer.finished());
  CHECK_FALSE(trainer.observe(nan));
  CHECK(trainer.finished());
  CHECK(trainer.best() == sign * 2);

  Trainer patient(*trained, {.next = reversals(1)}, {.better = better});
  for (int i = 0; i < 100; ++i) patient.observe(sign * i);
  CHECK_FALSE(patient.finished());
}

TEST_CASE("invalid options are refused before anything is done", "[models][trainer]") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CHECK(refusal({.steps = 0}) == "Trainer: the number of steps must be at least 1, and is 0");
  CHECK(refusal({.optimiser = "adm"})
            .starts_with("find_optimiser: unknown optimiser 'adm'; available: adam, adamw, sgd, "));
  CHECK(refusal({.learning_rate = -1}) == "Adam: the learning rate must be finite and at least 0, and is -1");
  CHECK(refusal({.schedule = "step"}) ==
        "find_schedule: unknown schedule 'step'; available: constant, linear, cosine, exponential, plateau");
  CHECK(refusal({.final_factor = infinity}) ==
        "Trainer: final_factor must be finite and at least 0, and is inf");
  CHECK(refusal({.schedule = "exponential", .final_factor = 0}) ==
        "schedule: an exponential one cannot reach a factor of 0; give a positive final factor");
  CHECK(refusal({.steps = 5, .warm_up = 5}) ==
        "Trainer: warm_up must be at least 0 and less than the number of steps, 5, and is 5");
  CHECK(refusal({.warm_up = -1}) ==
        "Trainer: warm_up must be at least 0 and less than the number of steps, 1000, and is -1");
  CHECK(refusal({.schedule = "plateau"}) ==
        "Trainer: the plateau schedule needs evaluations, and eval_every is 0; raise it");
  CHECK(refusal({.schedule = "plateau", .final_factor = 1, .eval_every = 5}) ==
        "Trainer: final_factor must be below 1 for the plateau schedule to lower the rate, and is 1");
  CHECK(refusal({.schedule = "plateau", .plateau_factor = 1, .eval_every = 5}) ==
        "Plateau: the factor must be in [0, 1), and is 1");
  CHECK(refusal({.schedule = "plateau", .plateau_patience = -1, .eval_every = 5}) ==
        "Plateau: patience must be finite and at least 0, and is -1");
  CHECK(refusal({.clip_norm = 0}) ==
        "Trainer: clip_norm must be above 0, and is 0; infinity turns clipping off");
  CHECK(refusal({.loss = {.sampling = 2}}) ==
        "Trainer: the probability of sampling must be in [0, 1], and is 2");
  CHECK(refusal({.eval_every = -1}) ==
        "Trainer: the number of steps between evaluations must be at least 0, and is -1");
  CHECK(refusal({.accumulate = 0}) ==
        "Trainer: the number of batches to accumulate must be at least 1, and is 0");
  CHECK(refusal({.patience = -1}) == "Trainer: patience must be at least 0, and is -1");
  CHECK(refusal({.clip_norm = infinity}).empty());
  const Model trained = model();
  CHECK_ERROR(Trainer(*trained, {}), "Trainer: the stream of batches has no next(); set it");
}
