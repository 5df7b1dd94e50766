// Training that is stopped and resumed must give the same checkpoint as uninterrupted training, bit for bit.

#include <gradus/models/checkpoint.hpp>
#include <gradus/models/trainer.hpp>
#include <gradus/nn/optimisers.hpp>

#include <array>

#include "models/forgetful_decoder.hpp"
#include "models/helpers.hpp"
#include "scratch.hpp"

namespace data = gradus::data;
namespace fs = std::filesystem;
namespace models = gradus::models;
using gradus::Dtype;
using gradus::Generator;
using gradus::NamedTensors;
using gradus::Tensor;
using models::Trainer;
using models::TrainerOptions;

namespace {

// Epochs of 5 batches. Each batch has its own seed.
class Epochs {
 public:
  data::Batch next() {
    Generator generator(static_cast<std::uint64_t>(10 * epoch_ + batch_));
    if (++batch_ == 5) {
      batch_ = 0;
      ++epoch_;
    }
    std::vector<data::Pair> pairs;
    for (int i = 0; i < 6; ++i) {
      pairs.push_back(task_.sample_training([&](std::uint64_t n) { return generator.below(n); }));
    }
    return data::make_batch(pairs);
  }
  models::BatchStream stream() {
    return {.next = [this] { return next(); },
            .state = [this] { return std::vector{epoch_, batch_}; },
            .set_state =
                [this](const std::vector<std::int64_t>& place) {
                  if (place[1] >= 5) gradus::fail("Epochs", "there is no batch ", place[1]);
                  epoch_ = place[0];
                  batch_ = place[1];
                }};
  }

 private:
  data::Reversal task_{6, 2, 4};
  std::int64_t epoch_ = 0, batch_ = 0;
};

constexpr std::int64_t steps = 12;

TrainerOptions options(const std::string& optimiser = "adam") {
  return {.steps = steps,
          .optimiser = optimiser,
          .learning_rate = 0.01,
          .schedule = "cosine",
          .warm_up = 3,
          .accumulate = 2,
          .loss = {.label_smoothing = 0.1, .attention_entropy = 0.1, .sampling = 0.6},
          .eval_every = 4,
          .patience = 3};
}

// A training process: model, data and trainer.
struct Run {
  explicit Run(const TrainerOptions& options, std::uint64_t seed = 1)
      : model((gradus::seed(seed), forgetful_model(0.3, 24))), trainer(*model, epochs.stream(), options) {}

  // If an evaluation is due after the previous step, runs it. Then runs one step. So a run may stop between a
  // step and the evaluation that follows.
  void advance() {
    evaluate();
    trainer.step();
  }
  void evaluate() {
    if (trainer.evaluation_due()) scores.push_back(models::evaluate_loss(*model, tiny_pairs));
    if (trainer.evaluation_due()) trainer.observe(scores.back());
  }
  void save(const fs::path& path) const { models::save_checkpoint(path, {trainer.state(), {}}); }
  void load(const fs::path& path) { trainer.load_state(models::load_checkpoint(path).tensors); }

  Model model;
  Epochs epochs;
  Trainer trainer;
  std::vector<double> scores;
};

struct Files : Scratch {
  fs::path at(const char* name) const { return path() / name; }
};

std::string never_stopped(const Files& files, const TrainerOptions& options) {
  Run run(options);
  while (!run.trainer.finished()) run.advance();
  run.evaluate();
  REQUIRE(run.scores.size() == 3);
  run.save(files.at("whole"));
  return content(files.at("whole"));
}

std::string stopped(const Files& files, const TrainerOptions& options, std::int64_t after,
                    bool evaluated = false) {
  {
    Run before(options);
    while (before.trainer.steps() < after) before.advance();
    if (evaluated) before.evaluate();
    before.save(files.at("part"));
  }
  Run run(options, 99);
  run.load(files.at("part"));
  REQUIRE(run.trainer.steps() == after);
  while (!run.trainer.finished()) run.advance();
  run.evaluate();
  run.save(files.at("resumed"));
  return content(files.at("resumed"));
}

NamedTensors without(NamedTensors state, const std::string& name) {
  REQUIRE(std::erase_if(state, [&](const auto& entry) { return entry.first == name; }) == 1);
  return state;
}

NamedTensors with(const NamedTensors& state, const std::string& name, const Tensor& value) {
  NamedTensors changed = without(state, name);
  changed.emplace_back(name, value);
  return changed;
}

}  // namespace

TEST_CASE("resumed training gives the same bytes as uninterrupted training", "[models][resume]") {
  const Files files;
  for (const int count : {1, 2}) {
    const Threads threads(count);
    const std::string whole = never_stopped(files, options());
    // Stops after the first step, before and after an evaluation, at the end of an epoch, one step before the
    // end, and at the end.
    for (const std::int64_t after : {1, 4, 5, 11, 12}) {
      INFO(count << " threads, stopped after step " << after);
      CHECK((stopped(files, options(), after) == whole));
      if (after % 4 == 0) CHECK((stopped(files, options(), after, true) == whole));
    }
  }
}

TEST_CASE("resumed training gives the same bytes with every optimiser", "[models][resume]") {
  const Files files;
  for (const gradus::nn::OptimiserKind& kind : gradus::nn::optimisers()) {
    INFO(kind.name);
    const TrainerOptions with = options(std::string(kind.name));
    CHECK((stopped(files, with, 6) == never_stopped(files, with)));
  }
}

TEST_CASE("a state is a copy, and a trainer can return to it", "[models][resume]") {
  Run run(options());
  run.advance();
  const NamedTensors state = run.trainer.state();
  const auto weights = snapshot(*run.model);
  const double next = run.trainer.step().loss;
  run.trainer.step();
  CHECK(snapshot(*run.model) != weights);
  run.trainer.load_state(state);
  CHECK(run.trainer.steps() == 1);
  CHECK(snapshot(*run.model) == weights);
  CHECK(run.trainer.step().loss == next);
}

TEST_CASE("a resumed run may have more steps", "[models][resume]") {
  Run run(options());
  while (!run.trainer.finished()) run.advance();
  TrainerOptions longer = options();
  longer.steps += 2;
  Run more(longer);
  more.trainer.load_state(run.trainer.state());
  CHECK_FALSE(more.trainer.finished());
  more.advance();
  more.advance();
  CHECK(more.trainer.finished());
}

TEST_CASE("patience and the best score are part of the state", "[models][resume]") {
  Run before(options()), after(options());
  before.trainer.observe(0.5);
  before.trainer.observe(0.6);
  before.trainer.observe(0.7);
  after.trainer.load_state(before.trainer.state());
  CHECK(after.trainer.best() == 0.5);
  CHECK_FALSE(after.trainer.finished());
  CHECK_FALSE(after.trainer.observe(0.55));
  CHECK(after.trainer.finished());
}

TEST_CASE("after forget_scores(), a worse score is the best, and patience and plateau start again",
          "[models][resume]") {
  TrainerOptions plateau = options();
  plateau.schedule = "plateau";
  plateau.plateau_patience = 1;
  plateau.warm_up = 0;
  Run run(plateau);
  run.trainer.observe(0.5);
  run.trainer.observe(0.6);
  run.trainer.observe(0.7);
  const double rate = run.trainer.learning_rate();
  CHECK(rate == 0.005);
  run.trainer.forget_scores();
  CHECK(run.trainer.observe(0.9));
  CHECK_FALSE(run.trainer.observe(0.95));
  CHECK_FALSE(run.trainer.finished());
  CHECK(run.trainer.best() == 0.9);
  CHECK(run.trainer.learning_rate() == rate);
}

TEST_CASE("resumed training gives the same bytes with the plateau schedule", "[models][resume]") {
  const Files files;
  TrainerOptions plateau = options();
  plateau.schedule = "plateau";
  plateau.plateau_patience = 0;
  plateau.eval_every = 1;
  plateau.patience = 0;
  Run run(plateau);
  std::vector<std::int64_t> lowered;  // steps after which the rate was lowered
  double rate = 0;
  for (std::int64_t step = 1; step <= steps; ++step) {
    run.trainer.step();
    rate = run.trainer.learning_rate();
    run.trainer.observe(step < 5 ? 1 : 0.5);
    if (run.trainer.learning_rate() < rate) lowered.push_back(step);
  }
  CHECK(lowered == std::vector<std::int64_t>{2, 3, 4, 6});  // after step 6, the rate is at final_factor
  run.save(files.at("whole"));
  for (const std::int64_t after : {1, 2, 5, 6}) {
    INFO("stopped after step " << after);
    const auto advance = [](Run& part, std::int64_t last) {
      while (part.trainer.steps() < last) {
        part.trainer.step();
        part.trainer.observe(part.trainer.steps() < 5 ? 1 : 0.5);
      }
    };
    {
      Run before(plateau);
      advance(before, after);
      before.save(files.at("part"));
    }
    Run resumed(plateau, 99);
    resumed.load(files.at("part"));
    advance(resumed, steps);
    resumed.save(files.at("resumed"));
    CHECK((content(files.at("resumed")) == content(files.at("whole"))));
  }
}

TEST_CASE("a resumed run may change to the plateau schedule and back", "[models][resume]") {
  TrainerOptions constant = options(), plateau = options();
  constant.schedule = "constant";
  plateau.schedule = "plateau";
  plateau.plateau_patience = 0;
  constant.warm_up = plateau.warm_up = 0;
  Run before(constant), lowered(plateau), after(constant), refused(plateau);
  before.trainer.observe(1);
  lowered.trainer.load_state(before.trainer.state());
  lowered.trainer.observe(2);  // the first score that the plateau detector sees
  CHECK(lowered.trainer.learning_rate() == 0.01);
  lowered.trainer.observe(2);
  CHECK(lowered.trainer.learning_rate() == 0.005);
  const NamedTensors state = lowered.trainer.state();
  after.trainer.load_state(state);
  CHECK(after.trainer.learning_rate() == 0.01);
  lowered.trainer.load_state(before.trainer.state());
  CHECK(lowered.trainer.learning_rate() == 0.01);

  CHECK_ERROR(refused.trainer.load_state(without(state, "trainer.plateau.best")),
              "Plateau: the state does not fit, and nothing was loaded; missing: 'best'; load the state of a "
              "Plateau");
  CHECK_ERROR(refused.trainer.load_state(without(state, "trainer.plateau_factor")),
              "Trainer: the state does not fit, and nothing was loaded; missing: 'trainer.plateau_factor'; "
              "load the state of a trainer with the same kind of batches");
}

TEST_CASE("a state that does not fit is refused, and nothing is loaded", "[models][resume]") {
  Run run(options());
  run.advance();
  Run saved(options(), 2);
  saved.advance();
  saved.advance();
  const NamedTensors state = saved.trainer.state();
  const auto state_before = run.trainer.state();
  const auto check = [&](const NamedTensors& given, const std::string& message) {
    CHECK_ERROR(run.trainer.load_state(given), message);
    const NamedTensors now = run.trainer.state();
    REQUIRE(now.size() == state_before.size());
    for (std::size_t i = 0; i < now.size(); ++i) {
      INFO(now[i].first);
      CHECK(now[i].first == state_before[i].first);
      CHECK((now[i].second.to_vector<double>() == state_before[i].second.to_vector<double>()));
    }
  };
  const std::string unfit = "Trainer: the state does not fit, and nothing was loaded; ",
                    advice = "; load the state of a trainer with the same kind of batches";
  check(without(state, "trainer.steps"), unfit + "missing: 'trainer.steps'" + advice);
  check(with(state, "trainer.stream", integers({1, 2, 3})),
        unfit + "'trainer.stream' is (3) i64 and must be (2) i64" + advice);
  check(with(state, "trainer.bad", gradus::tensor(std::vector<std::int64_t>{-1}, {})),
        unfit + "'trainer.bad' is -1 and must be at least 0" + advice);
  check(without(state, "trainer.optimiser.0.m"),
        "Adam: the state does not fit, and nothing was loaded; missing: '0.m'; load it into an optimiser of "
        "the same groups, parameters and options");
  check(with(state, "trainer.stream", integers({0, 7})), "Epochs: there is no batch 7");
  // Both the stream and the optimiser's state are wrong. The stream's error is reported, because changed data
  // can be the cause of the other error.
  check(with(without(state, "trainer.optimiser.0.m"), "trainer.stream", integers({0, 7})),
        "Epochs: there is no batch 7");
  check(without(state, "model.decoder.readout.bias"),
        "load_state_dict: the model's state does not fit, so nothing was loaded: missing "
        "'decoder.readout.bias'; give the state of a module made with the same sizes");
}

TEST_CASE("a trainer whose stream has no position has no state", "[models][resume]") {
  const Model model = forgetful_model(0.1);
  Trainer trainer(*model, {.next = reversals(1)});
  CHECK_ERROR(trainer.state(),
              "Trainer: the stream of batches has no position to save; give it state() and set_state()");
  CHECK_ERROR(trainer.load_state({}),
              "Trainer: the stream of batches cannot restore a position; give it state() and set_state()");
}
