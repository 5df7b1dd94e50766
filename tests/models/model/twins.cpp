// Bahdanau's decoder with its fused recurrence must equal the composed steps.

#include "nn/twins.hpp"

#include <gradus/autograd/random.hpp>
#include <gradus/models/bahdanau_decoder.hpp>
#include <gradus/nn/additive_attention.hpp>
#include <gradus/nn/shared_additive_attention.hpp>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "models/helpers.hpp"

namespace data = gradus::data;
namespace models = gradus::models;
namespace nn = gradus::nn;
using gradus::Dtype;
using gradus::Generator;
using gradus::Tensor;

namespace {

// Pairs of random lengths.
data::Batch random_batch(std::int64_t size, std::uint64_t longest) {
  Generator generator(3);
  const auto sentence = [&] {
    Ids ids(1 + generator.below(longest));
    for (std::int64_t& id : ids) id = data::first_symbol + static_cast<std::int64_t>(generator.below(6));
    return ids;
  };
  std::vector<data::Pair> pairs;
  for (std::int64_t b = 0; b < size; ++b) {
    pairs.push_back({sentence(), sentence()});
    pairs.back().target.push_back(data::eos);
  }
  return data::make_batch(pairs);
}

Model bahdanau(const Precision& precision, const models::ModelSizes& sizes = tiny) {
  gradus::seed(1);
  Model model = models::make_bahdanau(sizes);
  model->to(precision.dtype);
  return model;
}

// The tiny model with another attention.
template <class Attention>
Model with(double dropout = 0) {
  gradus::seed(1);
  auto model = std::make_unique<models::Seq2Seq>(
      models::EncoderOptions{
          .vocabulary = tiny.vocabulary, .embedding = tiny.embedding, .hidden = tiny.hidden},
      std::make_unique<models::BahdanauDecoder>(
          models::DecoderOptions{.vocabulary = tiny.vocabulary,
                                 .annotation = 2 * tiny.hidden,
                                 .embedding = tiny.embedding,
                                 .hidden = tiny.hidden},
          std::make_unique<Attention>(tiny.hidden, 2 * tiny.hidden, tiny.energy, dropout)));
  model->to(Dtype::f64);
  return model;
}

// The loss, computed step by step through the decoder's step() only.
Tensor stepwise_loss(const models::Seq2Seq& model, const data::Batch& batch) {
  const BatchTensors x(batch);
  auto [state, memory] = model.decoder->start(model.encoder.forward(x.source, x.source_lengths));
  Tensors logits;
  const gradus::DrawsOfSteps draws(model.is_training());
  for (std::int64_t t = 0; t < batch.target_steps; ++t) {
    const auto guard = draws.at(t);
    auto output = model.decoder->step(x.target_in[t], state, memory);
    logits.push_back(output.logits);
    state = output.state;
  }
  const gradus::Packing targets(x.target_lengths);
  return cross_entropy(pack(gradus::stack(logits), targets), pack(x.target_out, targets));
}

Tensor parameter_of(const models::Seq2Seq& model, const std::string& name) {
  for (const auto& [found, parameter] : model.named_parameters()) {
    if (found == name) return parameter;
  }
  throw std::invalid_argument(name);
}

// Additive attention with doubled energies.
struct Doubled : nn::AdditiveAttention {
  using AdditiveAttention::AdditiveAttention;

 protected:
  Tensor energies(const Tensor& query, const nn::Memory& memory, std::int64_t step,
                  const Tensor& previous) const override {
    return AdditiveAttention::energies(query, memory, step, previous) * 2;
  }
};

}  // namespace

TEST_CASE("Bahdanau's loss and gradients equal the composed ones, for any split among threads",
          "[models][twins]") {
  const models::ModelSizes large{.vocabulary = 9, .embedding = 5, .hidden = 300, .energy = 7};
  struct Case {
    models::ModelSizes sizes;
    std::int64_t batch;
    std::uint64_t longest;
  };
  // Batches of 1 and 5 pairs are too small to be split among threads. The fourth case has few steps. The
  // weights of the last case are larger than a core's cache.
  for (const Case& c :
       {Case{tiny, 1, 5}, Case{tiny, 5, 9}, Case{tiny, 27, 9}, Case{tiny, 27, 2}, Case{large, 9, 4}}) {
    const data::Batch batch = random_batch(c.batch, c.longest);
    for (const int count : {1, 2, 3}) {
      for (const Precision& precision : precisions) {
        INFO(c.batch << " pairs of up to " << c.longest << " tokens, H = " << c.sizes.hidden << ", " << count
                     << " threads, " << name(precision.dtype));
        const Threads set(count);
        const Model model = bahdanau(precision, c.sizes);
        check_equal([&] { return Tensors{models::loss(*model, batch).total}; }, model->parameters(),
                    precision);
      }
    }
  }
}

TEST_CASE("Bahdanau's gradients equal the composed ones, whatever is frozen", "[models][twins]") {
  const data::Batch batch = random_batch(9, 6);
  const Model model = bahdanau(precisions[0]);
  const auto check = [&] {
    check_equal([&] { return Tensors{models::loss(*model, batch).total}; }, model->parameters(),
                precisions[0]);
  };
  // Freezes the encoder, parts of the decoder, or both. In the last case, none of the values, the keys, s_0
  // and the inputs needs a gradient.
  for (const std::vector<std::string>& frozen :
       {std::vector<std::string>{"encoder."},
        {"decoder.attention.U_a"},
        {"decoder.W_s"},
        {"decoder.embedding"},
        {"encoder.", "decoder.attention.U_a"},
        {"encoder.", "decoder.attention.U_a", "decoder.W_s", "decoder.embedding"}}) {
    INFO(frozen[0] << " and " << frozen.size() - 1 << " more are frozen");
    for (auto& [name, parameter] : model->named_parameters()) {
      Tensor(parameter).set_requires_grad(std::none_of(
          frozen.begin(), frozen.end(), [&name = name](const auto& part) { return name.starts_with(part); }));
    }
    check();
  }
  for (const auto& [trained, parameter] : model->named_parameters()) {
    INFO("only " << trained << " is trained");
    for (Tensor other : model->parameters()) other.set_requires_grad(other.is(parameter));
    check();
    CHECK(mismatch(parameter.grad(), gradus::ones(parameter.shape())) != "");
  }
}

TEST_CASE("with a shared matrix, loss and gradients equal the composed ones and those of separate matrices",
          "[models][twins]") {
  const data::Batch batch = random_batch(9, 6);
  const Model model = with<nn::SharedAdditiveAttention>(), separate = with<nn::AdditiveAttention>();
  const Tensor W = parameter_of(*model, "decoder.attention.W_a.weight");
  gradus::NamedTensors state = model->state_dict();
  state.emplace_back("decoder.attention.U_a.weight", gradus::concat({W, W}, 1));
  separate->load_state_dict(state);
  REQUIRE(models::loss(*model, batch).total.item() == Catch::Approx(stepwise_loss(*model, batch).item()));
  for (const int count : {1, 2, 3}) {
    INFO(count << " threads");
    const Threads set(count);
    check_equal([&] { return Tensors{models::loss(*model, batch).total}; }, model->parameters(),
                precisions[0]);
    check_equal([&] { return Tensors{stepwise_loss(*model, batch)}; }, model->parameters(), precisions[0]);
    for (const Model* one : {&model, &separate}) {
      for (Tensor parameter : (*one)->parameters()) parameter.zero_grad();
      models::loss(**one, batch).total.backward();
    }
    for (const auto& [name, parameter] : model->named_parameters()) {
      INFO(name);
      Tensor expected = parameter_of(*separate, name).grad();
      if (name == "decoder.attention.W_a.weight") {
        const Tensor d_U = parameter_of(*separate, "decoder.attention.U_a.weight").grad();
        expected = expected + d_U.slice(0, tiny.hidden, 1) + d_U.slice(tiny.hidden, 2 * tiny.hidden, 1);
      }
      CHECK(mismatch(parameter.grad(), expected, precisions[0].gradients) == "");
    }
  }
}

TEST_CASE("not even NaN in the padding affects Bahdanau's loss or gradients", "[models][padding]") {
  const data::Batch batch = tiny_batch();
  const Model model = bahdanau(precisions[0]);
  const auto loss_and_gradients = [&] {
    for (Tensor parameter : model->parameters()) parameter.zero_grad();
    const Tensor loss = models::loss(*model, batch).total;
    loss.backward();
    Tensors all{loss.detach()};
    for (const Tensor& parameter : model->parameters()) all.push_back(parameter.grad().clone());
    return all;
  };
  const Tensors clean = loss_and_gradients();
  for (const auto& [name, parameter] : model->named_parameters()) {
    if (!name.ends_with("embedding.weight")) continue;
    const std::int64_t width = parameter.size(1);
    overwrite(parameter, data::pad * width, (data::pad + 1) * width,
              std::numeric_limits<double>::quiet_NaN());
  }
  const Tensors padded = loss_and_gradients();
  for (std::size_t i = 0; i < clean.size(); ++i) CHECK(mismatch(padded[i], clean[i]) == "");
}

TEST_CASE("a class derived from AdditiveAttention is not fused", "[models][twins]") {
  const data::Batch batch = tiny_batch();
  const double plain = models::loss(*with<nn::AdditiveAttention>(), batch).total.item();
  const Model model = with<Doubled>();
  CHECK(std::abs(models::loss(*model, batch).total.item() - stepwise_loss(*model, batch).item()) < 1e-13);
  CHECK(std::abs(models::loss(*model, batch).total.item() - plain) > 1e-5);
}

TEST_CASE("dropout in Bahdanau's attention acts only in training", "[models][twins]") {
  const data::Batch batch = tiny_batch();
  const double plain = models::loss(*with<nn::AdditiveAttention>(), batch).total.item();
  const Model model = with<nn::AdditiveAttention>(0.5);
  gradus::seed(7);
  const double dropped = models::loss(*model, batch).total.item();
  gradus::seed(7);
  CHECK(std::abs(stepwise_loss(*model, batch).item() - dropped) < 1e-13);
  CHECK(std::abs(dropped - plain) > 1e-4);
  model->train(false);
  CHECK(models::loss(*model, batch).total.item() == plain);
}

TEST_CASE("Bahdanau's step equals the composed one", "[models][twins]") {
  const BatchTensors x(tiny_batch());
  for (const Precision& precision : precisions) {
    const Model model = bahdanau(precision);
    const auto two_steps = [&] {
      const auto [start, memory] = model->decoder->start(model->encoder.forward(x.source, x.source_lengths));
      const auto first = model->decoder->step(x.target_in[0], start, memory);
      const auto second = model->decoder->step(x.target_in[1], first.state, memory);
      return Tensors{first.logits, first.weights, second.logits, second.weights, second.state["s"]};
    };
    check_equal(two_steps, model->parameters(), precision);
  }
}
