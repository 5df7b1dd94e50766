// Finds the tensors to which dropout applies. If the dropout probability is almost 1, the dropped tensor is
// all zeros. A result computed only from such tensors does not depend on the data.

#include <gradus/models/bahdanau_decoder.hpp>
#include <gradus/models/model.hpp>

#include <algorithm>

#include "models/helpers.hpp"

namespace models = gradus::models;
using gradus::Tensor;
using models::Cell;

namespace {

constexpr double all = 1 - 1e-12;
constexpr Cell cells[] = {Cell::rnn, Cell::gru, Cell::original_gru, Cell::lstm};
const BatchTensors x(tiny_batch());

Tensor tokens(const gradus::Shape& shape, std::int64_t token) {
  return gradus::full(shape, static_cast<double>(token), gradus::Dtype::i64);
}

// Checks that f(x) ignores x in training, but depends on it in eval mode.
template <class F>
void check_hidden_in_training(gradus::nn::Module& module, F f) {
  CHECK(mismatch(f(3), f(7)) == "");
  module.eval();
  CHECK(mismatch(f(3), f(7)) != "");
}

// f() gives two rows, from different sources. Checks that they are equal in training, and differ in eval
// mode.
template <class F>
void check_same_rows_in_training(gradus::nn::Module& module, F f) {
  check_hidden_in_training(module, [&](int row) { return f()[row == 3 ? 0 : 1]; });
}

}  // namespace

TEST_CASE("dropout acts on the encoder's input", "[models][dropout]") {
  for (const Cell cell : cells) {
    models::Encoder encoder({.vocabulary = 9, .embedding = 5, .hidden = 4, .cell = cell, .dropout = all});
    check_hidden_in_training(
        encoder, [&](std::int64_t token) { return encoder.forward(tokens({2, 1}, token), integers({2})).h; });
  }
}

TEST_CASE("dropout acts between layers", "[models][dropout]") {
  const auto output = [](const gradus::nn::Recurrent& rnn, double value) {
    return rnn.run(gradus::full({3, 2, 5}, value), Tensor()).output;
  };
  for (const Cell cell : cells) {
    const auto two = models::make_recurrent(cell, 5, 4, {.layers = 2, .dropout = all});
    check_hidden_in_training(*two, [&](double value) { return output(*two, value); });
    const auto one = models::make_recurrent(cell, 5, 4, {.layers = 1, .dropout = all});
    CHECK(mismatch(output(*one, 3), output(*one, 7)) != "");
  }
}

TEST_CASE("dropout acts between the layers of a decoder with attention", "[models][dropout]") {
  gradus::seed(1);
  const Model model =
      models::make_model({.hidden = 32, .layers = 2, .dropout = 0.5}, {.source = 9, .target = 9});
  const auto start = model->decoder->start(model->encoder.forward(tokens({4, 1}, 5), integers({4})));
  sum(exp(model->decoder->forward(start, tokens({1, 1}, 5), gradus::Packing(1, 1)))).backward();
  // A dropped unit of the lower layer has no effect on the upper layer. With a single step, it has no effect
  // on later steps either. So no gradient reaches its gate z.
  const auto& decoder = dynamic_cast<const models::BahdanauDecoder&>(*model->decoder);
  const auto gradient = decoder.rnn->weights(0).bias_ih.grad().slice(32, 64).to_vector<float>();
  CHECK(std::ranges::count(gradient, 0) > 8);
  CHECK(std::ranges::count(gradient, 0) < 24);
}

TEST_CASE("dropout acts on the decoder's input embedding and on the readout's input", "[models][dropout]") {
  using models::ReadoutForm;
  for (const char* decoder : {"fixed", "cho", "bahdanau"}) {
    for (const ReadoutForm readout : {ReadoutForm::state, ReadoutForm::linear, ReadoutForm::maxout}) {
      INFO(decoder << ", " << static_cast<int>(readout));
      const Model model = models::make_model({.decoder = decoder, .readout = readout, .dropout = all},
                                             {.source = 9, .target = 9});
      const auto start = model->decoder->start(model->encoder.forward(x.source, x.source_lengths));
      const gradus::Packing targets(x.target_lengths);
      check_hidden_in_training(*model, [&](std::int64_t token) {
        return model->decoder->step(tokens({3}, token), start.state, start.memory).state["s"];
      });
      model->train();
      check_same_rows_in_training(
          *model, [&] { return model->decoder->step(tokens({3}, 5), start.state, start.memory).logits; });
      model->train();
      check_same_rows_in_training(*model,
                                  [&] { return model->decoder->forward(start, x.target_in, targets); });
    }
  }
}

TEST_CASE("attention dropout acts on the weights", "[models][dropout]") {
  for (const char* attention : {"additive", "dot", "scaled_dot", "shared_additive"}) {
    INFO(attention);
    const Model model = models::make_model(
        {.attention = attention, .bridge = models::Bridge::zeros, .attention_dropout = all},
        {.source = 9, .target = 9});
    const auto [state, memory] = model->decoder->start(model->encoder.forward(x.source, x.source_lengths));
    check_same_rows_in_training(*model, [&, &s_0 = state, &of_source = memory] {
      return model->decoder->step(tokens({3}, 5), s_0, of_source).state["s"];
    });
  }
}
