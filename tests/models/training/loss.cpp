// The training loss: label smoothing, attention entropy and scheduled sampling.

#include <gradus/models/loss.hpp>
#include <gradus/nn/attention_loss.hpp>
#include <gradus/nn/gradcheck.hpp>
#include <gradus/nn/loss.hpp>

#include <limits>
#include <utility>

#include "models/forgetful_decoder.hpp"
#include "models/helpers.hpp"

namespace data = gradus::data;
namespace models = gradus::models;
namespace nn = gradus::nn;
using gradus::Dtype;
using gradus::Generator;
using gradus::Tensor;
using models::LossOptions;
using models::Seq2Seq;

namespace {

const data::Batch batch = tiny_batch();
const BatchTensors x(batch);

const LossOptions everything{
    .label_smoothing = 0.1, .attention_entropy = 0.3, .attention_coverage = 0.4, .sampling = 0.5};

Model attending() {
  gradus::seed(1);
  Model model = models::make_bahdanau(tiny);
  model->to(Dtype::f64);
  return model;
}

// The loss with a fixed seed for scheduled sampling, so that every call makes the same random choices.
models::Loss loss_of(const Seq2Seq& model, const data::Batch& of, const LossOptions& options) {
  Generator coins(5);
  return models::loss(model, of, options, coins);
}
double total(const Seq2Seq& model, const data::Batch& of, const LossOptions& options) {
  return loss_of(model, of, options).total.item();
}

// The loss when step t reads inputs[t].
double reading(const Seq2Seq& model, const Tensor& inputs, const LossOptions& options) {
  const auto [logits, weights] = model.forward(x.source, x.source_lengths, inputs);
  return nn::masked_cross_entropy(logits, x.target_out, x.target_lengths, options.label_smoothing).item() +
         options.attention_entropy * nn::attention_entropy(stack(weights), x.target_lengths).item() +
         options.attention_coverage * nn::coverage_loss(stack(weights), x.target_lengths).item();
}

}  // namespace

TEST_CASE("the loss is the smoothed cross-entropy plus the attention entropy and the coverage loss",
          "[models][loss]") {
  const Model model = attending();
  const double plain = models::loss(*model, batch).total.item();
  for (const double smoothing : {0.0, 0.2}) {
    for (const auto& [entropy, coverage] : {std::pair{0.0, 0.0}, std::pair{0.3, 0.0}, std::pair{-0.1, 0.0},
                                            std::pair{0.0, 0.7}, std::pair{0.3, 0.7}}) {
      const LossOptions options{
          .label_smoothing = smoothing, .attention_entropy = entropy, .attention_coverage = coverage};
      INFO("smoothing " << smoothing << ", entropy " << entropy << ", coverage " << coverage);
      const models::Loss made = loss_of(*model, batch, options);
      CHECK(std::abs(made.total.item() - reading(*model, x.target_in, options)) < 1e-13);
      CHECK(std::abs(made.cross_entropy - plain) < 1e-13);
      CHECK(made.tokens == batch.target_tokens());
      CHECK((std::abs(made.total.item() - plain) > 1e-3) == (smoothing > 0 || entropy != 0 || coverage > 0));
    }
  }
}

TEST_CASE("without options the loss is the model's own, to the bit", "[models][loss]") {
  for (const Model& model : tiny_models()) {
    CHECK(models::loss(*model, batch).total.item() == models::loss(*model, batch).total.item());
  }
}

TEST_CASE("every part of the loss has correct gradients", "[models][loss][gradients]") {
  const Model model = attending();
  for (const LossOptions& options :
       {LossOptions{.label_smoothing = 0.1}, LossOptions{.attention_entropy = 0.3},
        LossOptions{.attention_coverage = 0.3}, LossOptions{.sampling = 0.5}, LossOptions{.sampling = 1},
        everything}) {
    check_gradients(
        nn::gradcheck(*model, [&](const auto&) { return loss_of(*model, batch, options).total; }, {}),
        model->parameters().size());
  }
}

TEST_CASE("with sampling 1 the decoder reads its own likeliest tokens", "[models][loss][sampling]") {
  const Model model = attending();
  Tensor inputs = x.target_in.clone();
  for (std::int64_t t = 1; t < batch.target_steps; ++t) {
    const Tensor logits = model->forward(x.source, x.source_lengths, inputs).logits;
    const auto own = argmax(logits[t - 1]).to_vector<std::int64_t>();
    const auto row = inputs[t].mutable_values<std::int64_t>("test");
    std::copy(own.begin(), own.end(), row.begin());
  }
  REQUIRE(mismatch(inputs, x.target_in) != "");
  const LossOptions options{.sampling = 1};
  CHECK(std::abs(total(*model, batch, options) - reading(*model, inputs, options)) < 1e-13);
}

TEST_CASE("with sampling between 0 and 1, a coin decides for each token", "[models][loss][sampling]") {
  const Model model = attending();
  for (const double probability : {0.2, 0.7}) {
    Generator coins(5);
    Tensor inputs = x.target_in.clone();
    int own_tokens = 0;
    for (std::int64_t t = 1; t < batch.target_steps; ++t) {
      const Tensor logits = model->forward(x.source, x.source_lengths, inputs).logits;
      const auto own = argmax(logits[t - 1]).to_vector<std::int64_t>();
      const auto row = inputs[t].mutable_values<std::int64_t>("test");
      for (std::size_t b = 0; b < own.size(); ++b) {
        if (coins.uniform() >= probability) continue;
        row[b] = own[b];
        ++own_tokens;
      }
    }
    CHECK(own_tokens > 0);
    CHECK(own_tokens < 15);
    const LossOptions options{.attention_entropy = 0.3, .sampling = probability};
    CHECK(std::abs(total(*model, batch, options) - reading(*model, inputs, options)) < 1e-13);
  }
}

TEST_CASE("sampling draws from the default generator unless another is given", "[models][loss][sampling]") {
  const Model model = attending();
  model->eval();  // in training, the loss would draw one more number, to seed the steps' dropout
  gradus::seed(5);
  CHECK(models::loss(*model, batch, everything).total.item() == total(*model, batch, everything));
  CHECK(gradus::default_generator().state().position == 15);  // 3 sequences, 5 steps after the first
}

TEST_CASE("no part of the loss depends on the padding", "[models][loss][padding]") {
  const Model model = attending();
  data::Batch padded = batch;
  for (std::size_t b = 0; b < 3; ++b) {
    for (std::size_t t = static_cast<std::size_t>(batch.target_lengths[b]); t < 6; ++t) {
      padded.target_in[t * 3 + b] = padded.target_out[t * 3 + b] = 5;
    }
  }
  for (int i = 0; i < 6; ++i) {
    padded.source.push_back(4);
    padded.target_in.push_back(7);
    padded.target_out.push_back(7);
  }
  padded.source_steps += 2;
  padded.target_steps += 2;
  CHECK(std::abs(total(*model, padded, everything) - total(*model, batch, everything)) < 1e-13);
}

TEST_CASE("the loss of a batch is the mean over its pairs, with every option", "[models][loss]") {
  const Model model = attending();
  const LossOptions options{
      .label_smoothing = 0.1, .attention_entropy = 0.3, .attention_coverage = 0.4, .sampling = 1};
  double sum = 0;
  for (const data::Pair& pair : tiny_pairs) {
    const models::Loss one = loss_of(*model, data::make_batch({&pair, 1}), options);
    sum += one.total.item() * static_cast<double>(one.tokens);
  }
  CHECK(std::abs(total(*model, batch, options) - sum / static_cast<double>(batch.target_tokens())) < 1e-13);
}

TEST_CASE("invalid loss options are refused", "[models][loss]") {
  const auto all = tiny_models();
  CHECK_ERROR(
      loss_of(*all[1], batch, {.attention_entropy = 0.1}),
      "loss: attention_entropy needs a decoder with attention; set it to 0, or use a decoder that returns "
      "weights");
  CHECK_ERROR(
      loss_of(*all[1], batch, {.attention_coverage = 0.1}),
      "loss: attention_coverage needs a decoder with attention; set it to 0, or use a decoder that returns "
      "weights");
  CHECK_ERROR(loss_of(*all[0], batch, {.attention_coverage = -0.1}),
              "loss: attention_coverage must be finite and at least 0, and is -0.1");
  CHECK_ERROR(loss_of(*all[0], batch, {.attention_coverage = std::numeric_limits<double>::infinity()}),
              "loss: attention_coverage must be finite and at least 0, and is inf");
  CHECK_ERROR(loss_of(*all[0], batch, {.label_smoothing = 1.5}),
              "loss: the label smoothing must be in [0, 1], and is 1.5");
  CHECK_ERROR(loss_of(*all[0], batch, {.sampling = -0.1}),
              "loss: the probability of sampling must be in [0, 1], and is -0.1");
  CHECK_ERROR(loss_of(*all[0], batch, {.attention_entropy = std::numeric_limits<double>::quiet_NaN()}),
              "loss: attention_entropy must be finite, and is nan");
}

TEST_CASE("evaluate_loss() averages over all tokens, in eval mode", "[models][loss]") {
  const Model model = forgetful_model(0.5);
  model->to(Dtype::f64);
  model->eval();
  const double expected = models::loss(*model, batch).total.item();
  for (const std::int64_t size : {1, 2, 3, 250}) {
    model->train();
    CHECK(std::abs(models::evaluate_loss(*model, tiny_pairs, size) - expected) < 1e-13);
    CHECK_FALSE(model->is_training());
  }
  CHECK_ERROR(models::evaluate_loss(*model, {}), "evaluate_loss: needs at least one pair, and got none");
  CHECK_ERROR(models::evaluate_loss(*model, tiny_pairs, 0),
              "evaluate_loss: the batch size must be at least 1, and is 0");
}
