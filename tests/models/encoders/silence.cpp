// An encoder that leaves out silence: which annotations it leaves out, gradients, searches and errors.

#include <gradus/models/beam_search.hpp>
#include <gradus/models/greedy.hpp>
#include <gradus/models/model.hpp>
#include <gradus/models/online_search.hpp>
#include <gradus/nn/gradcheck.hpp>

#include <limits>

#include "models/helpers.hpp"

namespace models = gradus::models;
namespace nn = gradus::nn;
using gradus::Dtype;
using gradus::Shape;
using gradus::Tensor;

namespace {

constexpr std::int64_t D = 3;
const Tensor lengths = integers({11, 8, 3, 5});

// Frames of noise. The standard deviation is 0.1 in frames 0 to 3 and 8 to 10, which are the quiet ones, and
// 1 in the others.
Tensor frames(std::uint64_t seed = 1) {
  gradus::Generator generator(seed);
  const Tensor loudness =
      gradus::tensor(std::vector<float>{0.1F, 0.1F, 0.1F, 0.1F, 1, 1, 1, 1, 0.1F, 0.1F, 0.1F}, {11, 1, 1});
  return normal({11, 4, D}, 0, 1, generator) * loudness;
}

models::EncoderOptions encoder_options(double silence, std::int64_t pyramid = 1) {
  return {.vectors = D, .hidden = 4, .pyramid = pyramid, .silence = silence};
}

Model make(double silence, const std::string& attention = "location") {
  gradus::seed(1);
  Model model = models::make_model(
      {.attention = attention, .embedding = 5, .hidden = 4, .energy = 3, .pyramid = 1, .silence = silence},
      {.source = 0, .target = 9, .vectors = D});
  model->eval();
  return model;
}

Ids column(const Tensor& x, std::int64_t b) {
  return x.slice(b, b + 1, 1).reshape({x.size(0)}).to_vector<std::int64_t>();
}

}  // namespace

TEST_CASE("annotations are loud if their mean power is near the loudest one's", "[models][silence]") {
  const auto order = [](const std::vector<float>& amplitudes, double silence, std::int64_t pyramid,
                        std::int64_t length) {
    const models::Encoder encoder({.vectors = 1, .hidden = 2, .pyramid = pyramid, .silence = silence});
    const Tensor x = gradus::tensor(amplitudes, {std::ssize(amplitudes), 1, 1});
    return std::pair(column(encoder.order(x, integers({length})), 0),
                     encoder.forward(x, integers({length})).lengths.to_vector<std::int64_t>());
  };
  using Result = std::pair<Ids, Ids>;
  CHECK(order({1, 10, 3.1F, 3.2F, 10}, 10, 0, 5) == Result{{1, 3, 4, 0, 2}, {3}});  // 10 dB below 10: 3.162…
  CHECK(order({1, 10, 3.1F, 3.2F, 10}, 21, 0, 5) == Result{{0, 1, 2, 3, 4}, {5}});
  CHECK(order({1, 10, 3.1F, 3.2F, 10}, 10, 0, 3) == Result{{1, 0, 2, 3, 4}, {1}});  // the rest is padding
  CHECK(order({1, 1, 10, 0, 1, 1, 10}, 10, 1, 7) == Result{{1, 3, 0, 2}, {2}});     // annotation 3: 1 frame
  CHECK(order({1, 1, 10, 0, 1, 1, 10}, 0, 1, 7) == Result{{0, 1, 2, 3}, {4}});
  CHECK(order({0, 0, 0}, 30, 0, 3) == Result{{0, 1, 2}, {3}});
}

TEST_CASE("an encoder with silence has the same annotations in another order", "[models][silence]") {
  const std::int64_t pyramid = GENERATE(0, 1, 2);
  models::Encoder encoder(encoder_options(8, pyramid));
  const Tensor x = frames();
  gradus::seed(5);
  models::Encoder all(encoder_options(0, pyramid));
  encoder.load_state_dict(all.state_dict());
  const nn::Annotations loud = encoder.forward(x, lengths), plain = all.forward(x, lengths);
  const Tensor order = encoder.order(x, lengths);
  REQUIRE(order.shape() == Shape{plain.h.size(0), 4});
  CHECK(mismatch(loud.last_forward, plain.last_forward) == "");
  CHECK(mismatch(loud.first_backward, plain.first_backward) == "");
  bool is_shorter = false;
  for (std::int64_t b = 0; b < 4; ++b) {
    const Ids places = column(order, b);
    for (std::int64_t i = 0; i < std::ssize(places); ++i) {
      CHECK(mismatch(loud.h[i][b], plain.h[places[static_cast<std::size_t>(i)]][b]) == "");
    }
    CHECK(loud.lengths[b].item() >= 1);
    is_shorter = is_shorter || loud.lengths[b].item() < plain.lengths[b].item();
  }
  CHECK(is_shorter);
  const nn::Annotations padded = encoder.forward(with_garbage(x, lengths, 4), lengths);
  CHECK(mismatch(padded.lengths, loud.lengths) == "");
  for (std::int64_t b = 0; b < 4; ++b) {
    const auto count = static_cast<std::int64_t>(loud.lengths[b].item());
    for (std::int64_t i = 0; i < count; ++i) {
      CHECK(mismatch(padded.h[i][b], loud.h[i][b], {1e-6, 0}) == "");
    }
  }
}

TEST_CASE("a model that leaves out silence has correct gradients", "[models][silence][gradients]") {
  const Model model = make(8);
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

TEST_CASE("searches give silence no weight", "[models][silence][search]") {
  const std::string attention = GENERATE("additive", "location", "monotonic", "dot", "local_p", "sparsemax");
  gradus::seed(1);
  const Model model = models::make_model({.attention = attention,
                                          .embedding = 5,
                                          .hidden = 4,
                                          .energy = 3,
                                          .pyramid = 1,
                                          .silence = 8,
                                          .bidirectional = attention != "dot"},
                                         {.source = 0, .target = 9, .vectors = D});
  model->eval();
  const Ids loud = model->encoder.forward(frames(), lengths).lengths.to_vector<std::int64_t>();
  const auto greedy = models::greedy(*model, frames(), lengths);
  const auto beam = models::beam_search(*model, frames(), lengths, {.width = 1});
  const Ids annotations{6, 4, 2, 3};
  for (std::size_t b = 0; b < loud.size(); ++b) {
    const Tensor& weights = greedy[b].weights;
    CHECK(weights.shape() == Shape{std::ssize(greedy[b].tokens), annotations[b]});
    CHECK(loud[b] <= annotations[b]);
    CHECK(sum(weights.slice(loud[b], annotations[b], 1)).item() == 0);
    CHECK(beam[b][0].tokens == greedy[b].tokens);
    // The same source on its own, as a batch of one.
    const auto row = static_cast<std::int64_t>(b), length = static_cast<std::int64_t>(lengths[row].item());
    const Tensor one = frames().slice(row, row + 1, 1).slice(0, length);
    CHECK(models::greedy(*model, one, integers({length}))[0].tokens == greedy[b].tokens);
  }
  CHECK(loud[0] < 6);
}

TEST_CASE("silence where it cannot be left out is refused", "[models][silence][errors]") {
  const auto with = [](double silence) { return models::Encoder(encoder_options(silence)); };
  CHECK_ERROR(with(-1), "Encoder: silence must be a finite number of decibels, at least 0, and is -1");
  CHECK_ERROR(with(std::numeric_limits<double>::infinity()),
              "Encoder: silence must be a finite number of decibels, at least 0, and is inf");
  CHECK_ERROR(models::Encoder({.vocabulary = 9, .silence = 10}),
              "Encoder: silence needs a source of vectors, and the source is tokens; set silence to 0");
  const models::Encoder encoder(encoder_options(8));
  CHECK_ERROR(encoder.order(gradus::ones({2, 1, D}), integers({5})), "Encoder: length 5 is outside [0, 2]");
  CHECK_ERROR(encoder.order(gradus::ones({2, 1, D}), integers({0})),
              "Encoder: a source is empty; remove empty sentences from the batch");
  const Model one = make(8), other = make(9);
  CHECK_ERROR(models::greedy(models::Ensemble({one.get(), other.get()}), frames(), lengths),
              "decode: the ensemble's members shorten their sources differently; give models with the same "
              "pyramid, convolution and silence");
  gradus::seed(1);
  const Model online = models::make_model({.attention = "monotonic",
                                           .pyramid = 1,
                                           .silence = 8,
                                           .bidirectional = false,
                                           .bridge = models::Bridge::zeros},
                                          {.source = 0, .target = 9, .vectors = D});
  online->eval();
  CHECK_ERROR(
      models::OnlineSearch(*online),
      "OnlineSearch: the encoder leaves out silence, so it needs the loudest part of the source; train "
      "a model with silence = 0");
}
