// Encoder and decoder together: gradients, and which outputs depend on which inputs.

#include <gradus/models/bahdanau_decoder.hpp>
#include <gradus/models/embedding_deviation.hpp>
#include <gradus/models/fixed_context_decoder.hpp>
#include <gradus/nn/gradcheck.hpp>
#include <gradus/nn/loss.hpp>

#include "models/helpers.hpp"

namespace data = gradus::data;
namespace models = gradus::models;
namespace nn = gradus::nn;
using gradus::Dtype;
using gradus::Shape;
using gradus::Tensor;

namespace {

// Calls visit(model) for each model, in f64.
template <class Visit>
void for_each_model(Visit visit) {
  for (const Model& model : tiny_models()) {
    INFO(*model);
    model->to(Dtype::f64);
    visit(*model);
  }
}

const data::Batch batch = tiny_batch();
const BatchTensors x(batch);

// Appends `more` rows to a (T, B) matrix. All their elements are `id`.
Ids longer(Ids ids, std::int64_t more, std::int64_t id) {
  ids.insert(ids.end(), static_cast<std::size_t>(more * batch.size), id);
  return ids;
}

}  // namespace

TEST_CASE("whole models have correct gradients", "[models][gradients]") {
  for_each_model([](models::Seq2Seq& model) {
    const std::size_t parameters = model.parameters().size();
    check_gradients(nn::gradcheck(model, x.source, x.source_lengths, x.target_in), parameters);
    check_gradients(nn::gradcheck(model, [&](const auto&) { return models::loss(model, batch).total; }, {}),
                    parameters);
  });
}

TEST_CASE("the models have the parameters that their papers name", "[models]") {
  const auto names = [](const nn::Module& module) {
    std::string all;
    for (const auto& [name, parameter] : module.named_parameters())
      all += name + ' ' + parameter.shape().text() + '\n';
    return all;
  };
  const auto all = tiny_models();
  CHECK(names(*all[0]) ==
        "encoder.embedding.weight (9, 5)\n"
        "encoder.rnn.weight_ih_l0 (12, 5)\n"
        "encoder.rnn.weight_hh_l0 (12, 4)\n"
        "encoder.rnn.bias_ih_l0 (12)\n"
        "encoder.rnn.bias_hh_l0 (12)\n"
        "encoder.rnn.weight_ih_l0_reverse (12, 5)\n"
        "encoder.rnn.weight_hh_l0_reverse (12, 4)\n"
        "encoder.rnn.bias_ih_l0_reverse (12)\n"
        "encoder.rnn.bias_hh_l0_reverse (12)\n"
        "decoder.embedding.weight (9, 5)\n"
        "decoder.W_s.weight (4, 4)\n"
        "decoder.rnn.weight_ih_l0 (12, 13)\n"
        "decoder.rnn.weight_hh_l0 (12, 4)\n"
        "decoder.rnn.bias_ih_l0 (12)\n"
        "decoder.rnn.bias_hh_l0 (12)\n"
        "decoder.readout.weight (9, 17)\n"
        "decoder.readout.bias (9)\n"
        "decoder.attention.v_a (3)\n"
        "decoder.attention.W_a.weight (3, 4)\n"
        "decoder.attention.U_a.weight (3, 8)\n");
  CHECK(names(*all[1]->decoder) ==
        "embedding.weight (9, 5)\n"
        "W_s.weight (4, 8)\n"
        "rnn.weight_ih_l0 (12, 5)\n"
        "rnn.weight_hh_l0 (12, 4)\n"
        "rnn.bias_ih_l0 (12)\n"
        "rnn.bias_hh_l0 (12)\n"
        "readout.weight (9, 4)\n"
        "readout.bias (9)\n");
  CHECK(all[2]->decoder->named_parameters()[1].second.shape() == Shape{4, 4});
}

TEST_CASE("a token's logits depend only on the source and the tokens before it",
          "[models][teacher_forcing]") {
  for_each_model([](const models::Seq2Seq& model) {
    const auto logits = [&](const Tensor& target_in) {
      return model.forward(x.source, x.source_lengths, target_in).logits;
    };
    const Tensor before = logits(x.target_in);
    REQUIRE(before.shape() == Shape{6, 3, 9});
    constexpr std::int64_t changed = 2;
    Tensor other = x.target_in.clone();
    other[changed].mutable_values<std::int64_t>("test")[1] = 4;
    const Tensor after = logits(other);
    for (std::int64_t t = 0; t < 6; ++t) {
      INFO("step " << t);
      CHECK((mismatch(after[t][1], before[t][1]) == "") == (t < changed));
      CHECK(mismatch(after[t][0], before[t][0], rounding) == "");
    }
  });
}

TEST_CASE("every source token affects the first decoded token", "[models]") {
  for_each_model([](const models::Seq2Seq& model) {
    const auto first = [&](const Tensor& source) {
      return model.forward(source, x.source_lengths, x.target_in.slice(0, 1)).logits[0][0];
    };
    for (std::int64_t j = 0; j < 4; ++j) {
      Tensor other = x.source.clone();
      other[j].mutable_values<std::int64_t>("test")[0] = 7;
      INFO("source token " << j);
      CHECK(mismatch(first(other), first(x.source), {1e-6, 0}) != "");
    }
  });
}

TEST_CASE("the loss is the cross-entropy of the next token, given the true tokens",
          "[models][teacher_forcing]") {
  for_each_model([](const models::Seq2Seq& model) {
    const auto given = [&](const Tensor& target) {
      const Tensor logits = model.forward(x.source, x.source_lengths, target).logits;
      return nn::masked_cross_entropy(logits, x.target_out, x.target_lengths).item();
    };
    const double loss = models::loss(model, batch).total.item();
    CHECK(std::abs(loss - given(x.target_in)) < 1e-13);  // models::loss() packs its sequences
    CHECK(std::abs(loss - given(x.target_out)) >
          1e-4);  // wrong input: each step reads the token that it must predict
  });
  CHECK(mismatch(x.target_in[0], gradus::full({3}, data::bos, Dtype::i64)) == "");
  for (std::int64_t b = 0; b < 3; ++b) {
    for (std::int64_t t = 1; t < batch.target_lengths[static_cast<std::size_t>(b)]; ++t) {
      CHECK(x.target_in[t][b].item() == x.target_out[t - 1][b].item());
    }
  }
}

TEST_CASE("neither garbage in the padding nor more padding changes the loss", "[models][padding]") {
  for_each_model([](const models::Seq2Seq& model) {
    data::Batch padded = batch;
    for (std::int64_t b = 0; b < batch.size; ++b) {
      const auto fill = [&](Ids& ids, const Ids& lengths) {
        const auto at = static_cast<std::size_t>(b);
        for (std::size_t t = static_cast<std::size_t>(lengths[at]); t * 3 < ids.size(); ++t)
          ids[t * 3 + at] = 5;
      };
      fill(padded.source, batch.source_lengths);
      fill(padded.target_in, batch.target_lengths);
      fill(padded.target_out, batch.target_lengths);
    }
    CHECK(models::loss(model, padded).total.item() == models::loss(model, batch).total.item());

    padded.source = longer(padded.source, 2, 4);
    padded.target_in = longer(padded.target_in, 3, 4);
    padded.target_out = longer(padded.target_out, 3, 4);
    padded.source_steps += 2;
    padded.target_steps += 3;
    CHECK(std::abs(models::loss(model, padded).total.item() - models::loss(model, batch).total.item()) <
          1e-13);
  });
}

TEST_CASE("the loss of a batch is the token-weighted mean of its pairs' losses", "[models]") {
  for_each_model([](const models::Seq2Seq& model) { check_loss_is_of_pairs(model); });
}

TEST_CASE("a model with attention returns its weights", "[models]") {
  const auto all = tiny_models();
  const auto output = all[0]->forward(x.source, x.source_lengths, x.target_in);
  REQUIRE(output.weights.size() == 6);
  for (const Tensor& weights : output.weights) {
    CHECK(weights.shape() == Shape{3, 4});
    CHECK(mismatch(sum(weights, 1), gradus::ones({3}), {1e-6, 0}) == "");
  }
  CHECK(mismatch(output.weights[1], output.weights[0], {1e-7, 0}) != "");
  CHECK_FALSE(all[1]->forward(x.source, x.source_lengths, x.target_in).weights[0].defined());
}

TEST_CASE("the encoder's annotations are the GRU's states", "[models][encoder]") {
  const models::Encoder encoder({.vocabulary = 9, .embedding = 5, .hidden = 4}),
      forward({.vocabulary = 9, .embedding = 5, .hidden = 4, .bidirectional = false});
  CHECK(encoder.annotation_size() == 8);
  CHECK(forward.annotation_size() == 4);
  const nn::Annotations made = encoder.forward(x.source, x.source_lengths);
  const auto [h, last] = encoder.rnn->run(encoder.embedding->forward(x.source), x.source_lengths);
  CHECK(mismatch(made.h, h) == "");
  CHECK(mismatch(made.last_forward, last[0][0]) == "");
  CHECK(mismatch(made.first_backward, last[0][1]) == "");
  CHECK(made.lengths.is(x.source_lengths));
  CHECK_FALSE(forward.forward(x.source, x.source_lengths).first_backward.defined());
}

TEST_CASE("a fixed context enters only through the initial state", "[models]") {
  const auto all = tiny_models();
  for (const Model* model : {&all[1], &all[2]}) {
    const auto& decoder = dynamic_cast<const models::FixedContextDecoder&>(*(*model)->decoder);
    const nn::Annotations made = (*model)->encoder.forward(x.source, x.source_lengths);
    const auto [start, memory] = decoder.start(made);
    const Tensor summary = made.first_backward.defined()
                               ? gradus::concat({made.last_forward, made.first_backward}, 1)
                               : made.last_forward;
    CHECK(mismatch(start["s"], tanh(linear(summary, decoder.W_s->weight))) == "");
    CHECK_FALSE(memory.values.defined());

    const auto [logits, state, weights] = decoder.step(x.target_in[0], start, memory);
    CHECK(start.step() == 0);
    CHECK(state.step() == 1);
    CHECK(mismatch(state["s"],
                   decoder.rnn->step(decoder.embedding.forward(x.target_in[0]), {start["s"]})[0]) == "");
    CHECK(mismatch(logits, decoder.readout.forward(state["s"])) == "");
    CHECK_FALSE(weights.defined());
  }
}

TEST_CASE("errors carry the path of the module at fault", "[models]") {
  const auto all = tiny_models();
  const models::Seq2Seq& model = *all[0];
  Tensor source = x.source.clone(), target = x.target_in.clone();
  source[1].mutable_values<std::int64_t>("test")[0] = 9;
  CHECK_ERROR(model.forward(source, x.source_lengths, x.target_in),
              "embedding: index 9 at position 3 of (4, 3) is outside [0, 9), the rows of (9, 5) [in "
              "encoder.embedding]");
  target[0].mutable_values<std::int64_t>("test")[2] = -1;
  CHECK_ERROR(model.forward(x.source, x.source_lengths, target),
              "embedding: index -1 at position 2 of (3) is outside [0, 9), the rows of (9, 5) [in "
              "decoder.embedding]");
  CHECK_ERROR(model.forward(x.source, integers({4, 0, 2}), x.target_in),
              "Encoder: a source is empty; remove empty sentences from the batch [in encoder]");
  CHECK_ERROR(model.forward(x.source, integers({4, 5, 2}), x.target_in),
              "Encoder: length 5 is outside [0, 4] [in encoder]");
  CHECK_ERROR(model.forward(x.source[0], x.source_lengths, x.target_in),
              "Encoder: the source is (3) and must be (T, B) [in encoder]");
  CHECK_ERROR(all[2]->encoder.forward(x.source, integers({4, 1})),
              "Encoder: the lengths are (2) and must be (3), one per row of the batch [in encoder]");
  CHECK_ERROR(
      model.decoder->start(all[2]->encoder.forward(x.source, x.source_lengths)),
      "BahdanauDecoder: s_0 is computed from the backward state of the first token; the encoder must be "
      "bidirectional [in decoder]");
}

TEST_CASE("a null decoder or attention is refused", "[models]") {
  CHECK_ERROR(models::Seq2Seq({.vocabulary = 9}, nullptr), "Seq2Seq: the given decoder is null");
  CHECK_ERROR(models::BahdanauDecoder({.vocabulary = 9, .annotation = 8}, nullptr),
              "BahdanauDecoder: the given attention is null");
}

TEST_CASE("embeddings start small", "[models]") {
  gradus::seed(1);
  const Model model = models::make_bahdanau({.vocabulary = 100});
  const auto& decoder = dynamic_cast<const models::BahdanauDecoder&>(*model->decoder);
  for (const Tensor& w : {model->encoder.embedding->weight, decoder.embedding.weight}) {
    CHECK(std::abs(std::sqrt(mean(w * w).item()) - models::embedding_deviation) < 0.02);
  }
}
