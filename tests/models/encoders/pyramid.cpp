// A pyramid encoder, which shortens its source: lengths, padding, searches and files.

#include <gradus/models/beam_search.hpp>
#include <gradus/models/greedy.hpp>
#include <gradus/models/model.hpp>
#include <gradus/nn/gradcheck.hpp>
#include <gradus/nn/safetensors.hpp>

#include "models/helpers.hpp"
#include "scratch.hpp"

namespace models = gradus::models;
namespace nn = gradus::nn;
using gradus::Dtype;
using gradus::Shape;
using gradus::Tensor;

namespace {

constexpr std::int64_t D = 3;
const Tensor lengths = integers({11, 8, 1, 5});

Tensor frames(std::uint64_t seed = 1) {
  gradus::Generator generator(seed);
  return normal({11, 4, D}, 0, 1, generator);
}

models::EncoderOptions encoder_options(std::int64_t pyramid) {
  return {.vectors = D, .hidden = 4, .pyramid = pyramid};
}

Model make(std::int64_t pyramid, std::uint64_t seed = 1) {
  gradus::seed(seed);
  Model model = models::make_model(
      {.attention = "location", .embedding = 5, .hidden = 4, .energy = 3, .pyramid = pyramid},
      {.source = 0, .target = 9, .vectors = D});
  model->eval();
  return model;
}

}  // namespace

TEST_CASE("each level of a pyramid halves the lengths", "[models][pyramid]") {
  const auto counts = [](std::int64_t pyramid) {
    return models::Encoder(encoder_options(pyramid)).annotation_counts(lengths).to_vector<std::int64_t>();
  };
  CHECK(counts(0) == Ids{11, 8, 1, 5});
  CHECK(counts(1) == Ids{6, 4, 1, 3});
  CHECK(counts(3) == Ids{2, 1, 1, 1});
  CHECK_ERROR(counts(-1), "Encoder: the levels of the pyramid must be from 0 to 16, and are -1");
  CHECK_ERROR(counts(17), "Encoder: the levels of the pyramid must be from 0 to 16, and are 17");
}

TEST_CASE("a pyramid's annotations do not depend on padding", "[models][pyramid]") {
  const std::int64_t pyramid = GENERATE(1, 2, 3);
  models::Encoder encoder(encoder_options(pyramid));
  encoder.to(Dtype::f64);
  const Tensor x = frames().to(Dtype::f64);
  const nn::Annotations clean = encoder.forward(x, lengths);
  CHECK(mismatch(clean.lengths, encoder.annotation_counts(lengths)) == "");
  const nn::Annotations padded = encoder.forward(with_garbage(x, lengths, 3), lengths);
  CHECK(mismatch(padded.h.slice(0, clean.h.size(0)), clean.h, rounding) == "");
  CHECK(mismatch(padded.last_forward, clean.last_forward, rounding) == "");
  CHECK(mismatch(padded.first_backward, clean.first_backward, rounding) == "");
  for (std::int64_t b = 0; b < 4; ++b) {
    const auto length = static_cast<std::int64_t>(lengths[b].item());
    const nn::Annotations one = encoder.forward(x.slice(b, b + 1, 1).slice(0, length), integers({length}));
    CHECK(mismatch(clean.h.slice(b, b + 1, 1).slice(0, one.h.size(0)), one.h, rounding) == "");
  }
}

TEST_CASE("a pyramid of two levels has correct gradients", "[models][pyramid][gradients]") {
  const Model model = make(2);
  model->to(Dtype::f64);
  const std::vector<gradus::data::Pair> pairs{
      {{3}, {7, 4, 2}}, {{3}, {5, 8, 8, 2}}, {{3}, {2}}, {{3}, {6, 2}}};
  const auto targets = gradus::data::make_batch(pairs);
  const auto loss = [&](const std::vector<Tensor>& x) {
    return models::loss(*model, x[0], lengths, targets).total;
  };
  check_gradients(nn::gradcheck(*model, loss, {leaf(only_real(frames().to(Dtype::f64), lengths))}),
                  model->parameters().size() + 1);
}

TEST_CASE("searches over a pyramid return one weight per annotation", "[models][pyramid][search]") {
  const Model model = make(2);
  const auto greedy = models::greedy(*model, frames(), lengths);
  const auto beam = models::beam_search(*model, frames(), lengths, {.width = 1});
  const auto wide =
      models::beam_search(*model, frames(), lengths, {.width = 4, .n_best = 2, .coverage_penalty = 0.2});
  const Ids counts{3, 2, 1, 2};
  for (std::size_t b = 0; b < counts.size(); ++b) {
    const auto tokens = std::ssize(greedy[b].tokens);
    CHECK(greedy[b].weights.shape() == Shape{tokens, counts[b]});
    CHECK(mismatch(sum(greedy[b].weights, 1), gradus::ones({tokens}), {1e-6, 0}) == "");
    CHECK(tokens <= 2 * counts[b] + 10);
    CHECK(beam[b][0].tokens == greedy[b].tokens);
    CHECK(mismatch(beam[b][0].weights, greedy[b].weights, {1e-6, 0}) == "");
    CHECK(wide[b][0].weights.shape() == Shape{std::ssize(wide[b][0].tokens), counts[b]});
    // The same source on its own, as a batch of one.
    const std::int64_t length = static_cast<std::int64_t>(lengths[static_cast<std::int64_t>(b)].item());
    const auto row = static_cast<std::int64_t>(b);
    const Tensor one = frames().slice(row, row + 1, 1).slice(0, length);
    CHECK(models::beam_search(*model, one, integers({length}),
                              {.width = 4, .n_best = 2, .coverage_penalty = 0.2})[0][0]
              .tokens == wide[b][0].tokens);
  }
}

TEST_CASE("an ensemble needs members with the same pyramid", "[models][pyramid][search]") {
  const Model one = make(1), two = make(2);
  CHECK_ERROR(
      models::greedy(models::Ensemble({one.get(), two.get()}), frames(), lengths),
      "decode: the ensemble's members shorten their sources differently; give models with the same pyramid, "
      "convolution and silence");
}

TEST_CASE("a listening model is the same after saving and loading", "[models][pyramid]") {
  const Scratch scratch;
  const auto file = scratch.path() / "model.safetensors";
  const Model saved = make(3, 1), loaded = make(3, 2);
  const Tensor tokens = integers({1, 1, 1, 1}).reshape({1, 4});
  const auto logits = [&](const Model& model) { return model->forward(frames(), lengths, tokens).logits; };
  CHECK(mismatch(logits(loaded), logits(saved), {1e-6, 0}) != "");
  nn::save(*saved, file);
  nn::load(*loaded, file);
  CHECK(mismatch(logits(loaded), logits(saved)) == "");
}
