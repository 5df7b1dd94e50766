// The training loop, from the first step to the last.

#include <gradus/models/train.hpp>
#include <gradus/nn/optim.hpp>

#include <limits>

#include "models/helpers.hpp"

namespace data = gradus::data;
namespace models = gradus::models;
using gradus::Tensor;
using models::TrainerOptions;
using models::TrainStep;

namespace {

// The loss is finite, but the gradient of the decoder's parameter is not: 1 / w overflows at w = 1e-44.
class Steep : public gradus::nn::DecoderStep {
 public:
  Steep() : w(add_parameter("w", gradus::tensor({1e-44}))) {}
  Start start(const gradus::nn::Annotations&) const override { return {}; }
  Output step(const Tensor& previous, const gradus::nn::State& state,
              const gradus::nn::Memory&) const override {
    const Tensor slopes = gradus::arange(tiny.vocabulary).to(w.dtype());
    const Tensor logits = expand(log(w) * slopes, {previous.size(0), tiny.vocabulary});
    return {.logits = logits, .state = state, .weights = {}};
  }
  const Tensor w;
};

Model model(std::uint64_t seed = 1) {
  gradus::seed(seed);
  return models::make_bahdanau(tiny);
}

}  // namespace

TEST_CASE("train() equals this loop", "[models][train]") {
  const TrainerOptions options{.steps = 5, .learning_rate = 0.02, .final_factor = 0.2, .clip_norm = 0.3};
  const Model trained = model(), expected = model();
  expected->eval();
  std::vector<TrainStep> seen;
  const auto losses =
      models::train(*trained, reversals(7), options, [&](const TrainStep& step) { seen.push_back(step); });

  const auto next_batch = reversals(7);
  gradus::nn::Adam adam(expected->parameters());
  REQUIRE(losses.size() == 5);
  REQUIRE(seen.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) {
    const data::Batch batch = next_batch();
    expected->zero_grad();
    const Tensor loss = models::loss(*expected, batch).total;
    loss.backward();
    CHECK(losses[i] == loss.item());
    CHECK(seen[i].step == static_cast<std::int64_t>(i) + 1);
    CHECK(seen[i].loss == loss.item());
    CHECK(seen[i].cross_entropy == loss.item());
    CHECK(seen[i].gradient_norm == gradus::nn::clip_grad_norm(expected->parameters(), 0.3));
    CHECK(seen[i].gradient_norm > 0.3);
    CHECK(seen[i].tokens == batch.target_tokens());
    const double learning_rate = 0.02 * (1 + (0.2 - 1) * static_cast<double>(i) / 4);
    CHECK(std::abs(seen[i].learning_rate - learning_rate) < 1e-17);
    adam.set_learning_rate(seen[i].learning_rate);
    adam.step();
  }
  CHECK(snapshot(*trained) == snapshot(*expected));
}

TEST_CASE("the learning rate falls from the first step to the last", "[models][train]") {
  const auto rates = [](std::int64_t steps) {
    std::vector<double> seen;
    models::train(*model(), reversals(1), {.steps = steps, .learning_rate = 0.25, .final_factor = 0},
                  [&](const TrainStep& step) { seen.push_back(step.learning_rate); });
    return seen;
  };
  CHECK(rates(3) == std::vector{0.25, 0.125, 0.0});
  CHECK(rates(1) == std::vector{0.25});
}

TEST_CASE("a seed gives the same trained bits", "[models][train]") {
  const auto run = [](std::uint64_t model_seed, std::uint64_t data_seed) {
    const Model trained = model(model_seed);
    auto losses = models::train(*trained, reversals(data_seed), {.steps = 20});
    return std::pair{losses, snapshot(*trained)};
  };
  CHECK(run(1, 2) == run(1, 2));
  CHECK(run(1, 2) != run(3, 2));
  CHECK(run(1, 2) != run(1, 3));
}

TEST_CASE("the loss decreases", "[models][train]") {
  for (const Model& trained : tiny_models()) {
    INFO(*trained);
    check_loss_falls(*trained);
  }
}

TEST_CASE("a model trains in training mode, and is left in eval mode", "[models][train]") {
  const Model trained = model();
  trained->eval();
  const auto next = reversals(1);
  models::train(*trained,
                [&] {
                  CHECK(trained->is_training());
                  return next();
                },
                {.steps = 2});
  CHECK_FALSE(trained->is_training());
}

TEST_CASE("a loss that is not finite stops training, and the parameters stay unchanged", "[models][train]") {
  const Model trained = model();
  const auto next = reversals(1);
  const Tensor bias = trained->named_parameters().back().second;
  std::vector<double> untouched;
  int calls = 0;
  const auto poisoned = [&] {
    if (++calls == 3) {
      overwrite(bias, 0, 1, std::numeric_limits<double>::quiet_NaN());
      untouched = trained->parameters()[0].to_vector<double>();
    }
    return next();
  };
  int steps = 0;
  CHECK_THROWS_WITH(models::train(*trained, poisoned, {.steps = 10}, [&](const TrainStep&) { ++steps; }),
                    Catch::Matchers::Equals(
                        "Trainer: the loss at step 3 is nan; lower the learning rate or the clipping norm; "
                        "the first non-finite value came from linear: its result (4, 8, 3) has nan at [0, 0, "
                        "0]; its inputs are "
                        "'unpack' (4, 8, 8) in encoder.rnn (finite), 'leaf' (3, 8) (nan at [0, 0]), none "
                        "[in decoder.attention.U_a]"));
  CHECK(steps == 2);
  CHECK(trained->parameters()[0].to_vector<double>() == untouched);
  CHECK(std::isnan(bias.to_vector<double>()[0]));
  CHECK_FALSE(std::isnan(bias.to_vector<double>()[1]));
  CHECK_FALSE(trained->is_training());
}

TEST_CASE("a gradient that is not finite stops training, and the parameters stay unchanged",
          "[models][train]") {
  models::Seq2Seq steep({.vocabulary = tiny.vocabulary, .embedding = 2, .hidden = 2},
                        std::make_unique<Steep>());
  const auto before = snapshot(steep);
  CHECK_THROWS_WITH(models::train(steep, reversals(1), {.steps = 2}),
                    Catch::Matchers::StartsWith(
                        "Trainer: the norm of the gradient at step 1 is inf; lower the learning rate; "
                        "the first non-finite value came from log: its backward made -inf at [0]"));
  CHECK(snapshot(steep) == before);
  CHECK_FALSE(steep.is_training());
}

TEST_CASE("training needs at least one step", "[models][train]") {
  const Model trained = model();
  const auto before = snapshot(*trained);
  CHECK_ERROR(models::train(*trained, reversals(1), {.steps = 0}),
              "Trainer: the number of steps must be at least 1, and is 0");
  CHECK_ERROR(models::train(*trained, reversals(1), {.steps = -3}),
              "Trainer: the number of steps must be at least 1, and is -3");
  CHECK(snapshot(*trained) == before);
}
