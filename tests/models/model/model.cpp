// Models made from names and sizes. Tests many variants of cell, attention and decoder.

#include <gradus/autograd/composed.hpp>
#include <gradus/models/bahdanau_decoder.hpp>
#include <gradus/models/cho_decoder.hpp>
#include <gradus/models/embedding_deviation.hpp>
#include <gradus/models/fixed_context_decoder.hpp>
#include <gradus/models/model.hpp>
#include <gradus/models/trainer.hpp>
#include <gradus/nn/gradcheck.hpp>
#include <gradus/nn/gru.hpp>
#include <gradus/nn/lstm.hpp>
#include <gradus/nn/rnn.hpp>
#include <gradus/nn/scaled_dot_product_attention.hpp>

#include "models/decoding.hpp"
#include "nn/twins.hpp"

namespace data = gradus::data;
namespace models = gradus::models;
namespace nn = gradus::nn;
using gradus::Dtype;
using gradus::Tensor;
using models::Bridge;
using models::Cell;
using models::ModelOptions;
using models::ReadoutForm;

namespace {

constexpr models::Vocabularies vocabularies{.source = 9, .target = 9};

struct Variant {
  const char* name;
  ModelOptions options;
};

ModelOptions small(ModelOptions options) {
  options.embedding = 5;
  options.hidden = 4;
  options.energy = 3;
  options.maxout = 6;
  options.initial = models::Initial::pytorch;
  options.dropout = options.attention_dropout = 0;
  return options;
}

// The presets, and variants of the main options. Each decoder, cell, bridge and readout occurs at least once.
std::vector<Variant> variants() {
  return {
      {"fixed", small({.decoder = "fixed"})},
      {"fixed, LSTM in two layers, copied", small({.decoder = "fixed",
                                                   .cell = Cell::lstm,
                                                   .layers = 2,
                                                   .bidirectional = false,
                                                   .bridge = Bridge::copy})},
      {"fixed, RNN, linear", small({.decoder = "fixed", .cell = Cell::rnn, .readout = ReadoutForm::linear})},
      {"cho", small({.decoder = "cho"})},
      {"cho, LSTM", small({.decoder = "cho", .cell = Cell::lstm})},
      {"cho, maxout of the state before", small({.decoder = "cho", .readout = ReadoutForm::maxout_earlier})},
      {"cho, original GRU, zeros",
       small({.decoder = "cho", .cell = Cell::original_gru, .bridge = Bridge::zeros})},
      {"bahdanau", small({})},
      {"bahdanau, one direction", small({.bidirectional = false})},
      {"bahdanau, state only", small({.readout = ReadoutForm::state})},
      {"bahdanau, maxout", small({.readout = ReadoutForm::maxout})},
      {"bahdanau, maxout of the state before", small({.readout = ReadoutForm::maxout_earlier})},
      {"bahdanau, original GRU", small({.cell = Cell::original_gru})},
      {"bahdanau, summary, tied", small({.bridge = Bridge::summary, .tied = models::Tied::output})},
      {"bahdanau, all tied, maxout", small({.readout = ReadoutForm::maxout, .tied = models::Tied::all})},
      {"bahdanau, LSTM", small({.cell = Cell::lstm})},
      {"bahdanau, LSTM in three layers", small({.cell = Cell::lstm, .layers = 3})},
      {"bahdanau, RNN", small({.cell = Cell::rnn})},
      {"bahdanau, GRU in two layers", small({.layers = 2})},
      {"dot", small({.attention = "dot"})},
      {"location", small({.attention = "location"})},
      {"location over a pyramid", small({.attention = "location", .pyramid = 1})},
      {"location, smooth",
       small({.attention = "location", .location = {.filters = 2, .width = 3, .smooth = true}})},
      {"additive over one level, one direction, copy",
       small({.pyramid = 1, .bidirectional = false, .bridge = Bridge::copy})},
      {"LSTM pyramid, two layers", small({.cell = Cell::lstm, .layers = 2, .pyramid = 1})},
      {"convolution", small({.convolution = true})},
      {"location over a convolution, LSTM in two layers, one direction", small({.attention = "location",
                                                                                .cell = Cell::lstm,
                                                                                .layers = 2,
                                                                                .convolution = true,
                                                                                .bidirectional = false})},
      {"scaled dot, sizes that fit", small({.attention = "scaled_dot", .bidirectional = false})},
      {"shared additive", small({.attention = "shared_additive"})},
      {"shared additive, one direction, LSTM",
       small({.attention = "shared_additive", .cell = Cell::lstm, .bidirectional = false})},
      {"sparsemax", small({.attention = "sparsemax"})},
      {"top k, LSTM", small({.attention = "top_k", .cell = Cell::lstm})},
      {"sutskever", small(models::preset("sutskever"))},
      {"cho's preset", small(models::preset("cho"))},
      {"bahdanau's preset", small(models::preset("bahdanau"))},
      {"d2l", small(models::preset("d2l"))},
      {"notebook", small(models::preset("notebook"))},
  };
}

Model make(const ModelOptions& options, std::uint64_t seed = 1) {
  gradus::seed(seed);
  Model model = models::make_model(options, vocabularies);
  model->to(Dtype::f64);
  return model;
}

// Calls visit(model) for every variant. The models are in f64.
template <class Visit>
void for_each_variant(Visit visit) {
  for (const Variant& variant : variants()) {
    INFO(variant.name);
    visit(*make(variant.options));
  }
}

const data::Batch batch = tiny_batch();
const BatchTensors x(batch);

// The loss, computed through the decoder's step() only.
Tensor stepwise_loss(const models::Seq2Seq& model) {
  const Tensor logits = model.forward(x.source, x.source_lengths, x.target_in).logits;
  const gradus::Packing targets(x.target_lengths);
  return cross_entropy(pack(logits, targets), pack(x.target_out, targets));
}

Tensors gradients(const models::Seq2Seq& model, const Tensor& loss) {
  for (Tensor parameter : model.parameters()) parameter.zero_grad();
  loss.backward();
  Tensors all{loss.detach()};
  for (const Tensor& parameter : model.parameters()) all.push_back(parameter.grad().clone());
  return all;
}

}  // namespace

TEST_CASE("every variant of a model has correct gradients", "[models][gradients][variants]") {
  for_each_variant([](models::Seq2Seq& model) {
    const std::size_t parameters = model.named_parameters().size();  // a shared parameter counts twice
    check_gradients(nn::gradcheck(model, [&](const auto&) { return models::loss(model, batch).total; }, {}),
                    parameters);
  });
}

TEST_CASE("every variant gives the same loss and gradients by steps as all at once",
          "[models][twins][variants]") {
  for_each_variant([](const models::Seq2Seq& model) {
    const Tensors whole = gradients(model, models::loss(model, batch).total),
                  steps = gradients(model, stepwise_loss(model));
    const gradus::Composed composed;
    const Tensors plain = gradients(model, models::loss(model, batch).total);
    for (std::size_t i = 0; i < whole.size(); ++i) {
      CHECK(mismatch(steps[i], whole[i], {1e-13, 1e-12}) == "");
      CHECK(mismatch(plain[i], whole[i], {1e-13, 1e-12}) == "");
    }
  });
}

TEST_CASE("dropout draws the same masks, fused and composed", "[models][twins][dropout][variants]") {
  for (const Variant& variant : variants()) {
    INFO(variant.name);
    ModelOptions options = variant.options;
    options.dropout = 0.3;
    options.attention_dropout = 0.2;
    const Model model = make(options);
    const auto numbers = [&] {
      gradus::seed(3);
      return gradients(*model, models::loss(*model, batch).total);
    };
    const Tensors whole = numbers();
    const gradus::Composed composed;
    const Tensors plain = numbers();
    for (std::size_t i = 0; i < whole.size(); ++i) CHECK(mismatch(plain[i], whole[i], {1e-13, 1e-12}) == "");
  }
}

TEST_CASE("every variant's loss of a batch is the mean over its pairs", "[models][padding][variants]") {
  for_each_variant([](const models::Seq2Seq& model) { check_loss_is_of_pairs(model); });
}

TEST_CASE("every variant's weights cover the real source and nothing else", "[models][variants]") {
  for_each_variant([](const models::Seq2Seq& model) {
    const auto output = model.forward(x.source, x.source_lengths, x.target_in);
    if (!output.weights[0].defined()) return;
    for (const Tensor& weights : output.weights) {
      CHECK(mismatch(sum(weights, 1), gradus::ones({3}, Dtype::f64), {1e-12, 0}) == "");
      const Tensor padding = weights[1].slice(1, weights.size(1));  // source 1 has one token
      CHECK(mismatch(padding, padding * 0.0) == "");
    }
  });
}

TEST_CASE("each option changes the model's modules", "[models][variants]") {
  const auto rnn = [](Cell cell) { return make(small({.cell = cell})); };
  CHECK(dynamic_cast<const nn::RNN*>(rnn(Cell::rnn)->encoder.rnn.get()) != nullptr);
  CHECK(dynamic_cast<const nn::GRU&>(*rnn(Cell::gru)->encoder.rnn).form() == nn::GRUForm::pytorch);
  CHECK(dynamic_cast<const nn::GRU&>(*rnn(Cell::original_gru)->encoder.rnn).form() == nn::GRUForm::original);
  CHECK(dynamic_cast<const nn::LSTM*>(rnn(Cell::lstm)->encoder.rnn.get()) != nullptr);
  CHECK(dynamic_cast<const models::FixedContextDecoder*>(make(small({.decoder = "fixed"}))->decoder.get()) !=
        nullptr);
  CHECK(dynamic_cast<const models::ChoDecoder*>(make(small({.decoder = "cho"}))->decoder.get()) != nullptr);
}

TEST_CASE("tied embeddings are one parameter", "[models]") {
  using models::Tied;
  const auto count = [](Tied tied, std::int64_t hidden) {
    ModelOptions options = small({.readout = ReadoutForm::state, .tied = tied});
    options.hidden = hidden;
    return make(options)->parameter_count();
  };
  constexpr std::int64_t V = 9, E = 5, H = 4;
  CHECK(count(Tied::output, H) == count(Tied::none, H) - V * H + E * H);  // W (E, H) replaces W_o (V, H)
  CHECK(count(Tied::all, H) == count(Tied::output, H) - V * E);
  const Model model = make(small({.tied = Tied::all}));
  const auto& decoder = dynamic_cast<const models::RecurrentDecoder&>(*model->decoder);
  CHECK(decoder.readout.weight.is(model->encoder.embedding->weight));
  CHECK(decoder.embedding.weight.is(model->encoder.embedding->weight));
}

TEST_CASE("dropout acts only in training", "[models][dropout]") {
  for (const char* decoder : {"fixed", "cho", "bahdanau"}) {
    INFO(decoder);
    ModelOptions options = small({.decoder = decoder, .layers = 2});
    const double plain = models::loss(*make(options), batch).total.item();
    options.dropout = 0.5;
    const Model model = make(options);
    CHECK(std::abs(models::loss(*model, batch).total.item() - plain) > 1e-4);
    model->eval();
    CHECK(models::loss(*model, batch).total.item() == plain);
  }
}

TEST_CASE("a source of vectors is read without an embedding", "[models][vectors]") {
  gradus::seed(3);
  const Model model = models::make_model(small({}), {.source = 0, .target = 9, .vectors = 7});
  model->to(Dtype::f64);
  CHECK(model->encoder.embedding == nullptr);
  const Tensor frames = gradus::normal({4, 3, 7}, 0, 1, gradus::default_generator(), Dtype::f64);
  const auto loss = [&](const auto& in) {
    return models::loss(*model, in[0], x.source_lengths, batch).total;
  };
  check_gradients(nn::gradcheck(*model, loss, {frames}), model->parameters().size() + 1);
  CHECK_ERROR(models::loss(*model, batch).total,
              "Encoder: the source is (4, 3) and must be (T, B, D) [in encoder]");
}

TEST_CASE("a source of embedded vectors gives the same results as its tokens", "[models][vectors]") {
  for (const char* decoder : {"fixed", "cho", "bahdanau"}) {
    INFO(decoder);
    const Model of_tokens = make(small({.decoder = decoder}));
    const Model of_vectors =
        models::make_model(small({.decoder = decoder}), {.source = 0, .target = 9, .vectors = 5});
    of_vectors->to(Dtype::f64);
    gradus::NamedTensors state = of_tokens->state_dict();
    std::erase_if(state, [](const auto& named) { return named.first == "encoder.embedding.weight"; });
    of_vectors->load_state_dict(state);
    const Tensor frames = of_tokens->encoder.embedding->forward(x.source);  // (T, B, 5)
    CHECK(models::loss(*of_vectors, frames, x.source_lengths, batch).total.item() ==
          models::loss(*of_tokens, batch).total.item());
    // The two models get separate searches, because sampling advances a search's generator.
    const std::vector<NamedSearch> one = searches(), other = searches();
    for (std::size_t i = 0; i < one.size(); ++i) {
      INFO(one[i].name);
      const auto from_tokens = one[i].search(*of_tokens, x.source, x.source_lengths, {}),
                 from_vectors = other[i].search(*of_vectors, frames, x.source_lengths, {});
      REQUIRE(from_tokens.size() == from_vectors.size());
      for (std::size_t b = 0; b < from_tokens.size(); ++b) {
        CHECK(tokens_of(from_vectors[b]) == tokens_of(from_tokens[b]));
      }
    }
  }
}

TEST_CASE("the presets have the papers' sizes", "[models][presets]") {
  CHECK(models::preset_names() ==
        std::vector<std::string>{"sutskever", "cho", "bahdanau", "d2l", "notebook"});
  // The sizes of RNNsearch-50. The terms of the sum are embeddings, encoder GRUs, W_s, decoder GRU,
  // attention, maxout and readout. To save minutes in a debug build, V is 1000 instead of 30,000, and no
  // matrix is orthogonal.
  constexpr std::int64_t V = 1000, E = 620, H = 1000, A = 1000, L = 500;
  ModelOptions options = models::preset("bahdanau");
  CHECK(options.initial == models::Initial::bahdanau);
  options.initial = models::Initial::pytorch;
  gradus::seed(1);
  const Model model = models::make_model(options, {.source = V, .target = V});
  const std::int64_t gru = 3 * H * (E + H + 2), decoder_gru = 3 * H * (E + 2 * H + H + 2);
  CHECK(model->parameter_count() == 2 * V * E + 2 * gru + H * H + decoder_gru + A * H + A * 2 * H + A +
                                        2 * L * (H + 2 * H + E + 1) + V * (L + 1));
  CHECK(model->decoder->named_parameters().back().first == "attention.U_a.weight");
}

TEST_CASE("the registry states what each decoder reads and each attention's weights", "[models][registry]") {
  const models::Registry registry = models::Registry::standard();
  CHECK(registry.context_of("fixed") == models::SourceContext::none);
  CHECK(registry.context_of("cho") == models::SourceContext::summary);
  CHECK(registry.context_of("bahdanau") == models::SourceContext::attention);
  CHECK_FALSE(registry.context_of("additive"));
  for (const std::int64_t value : {5, 10}) {
    const models::AttentionSizes sizes{.query = 5, .value = value, .energy = 7, .dropout = 0};
    for (const auto& [name, kind] : registry.attentions) {
      INFO(name << ", " << value);
      double matrices = 0;
      for (const auto& [path, parameter] : kind.make(sizes)->named_parameters()) {
        if (parameter.rank() == 2) matrices += static_cast<double>(parameter.numel());
      }
      CHECK(kind.weights(sizes) == matrices);
    }
  }
}

TEST_CASE("preset_training() has the sources' training options", "[models][presets]") {
  const models::TrainerOptions mine{.steps = 9, .optimiser = "rmsprop", .learning_rate = 2, .clip_norm = 3};
  const models::TrainerOptions paper = models::preset_training("bahdanau", mine);
  CHECK(paper.optimiser == "adadelta");
  CHECK(paper.learning_rate == 1);
  CHECK(paper.schedule == "constant");
  CHECK(paper.steps == 9);
  CHECK(paper.clip_norm == 3);
  CHECK(models::preset_training("sutskever").learning_rate == 0.7);
  CHECK(models::preset_training("notebook", mine).optimiser == "rmsprop");
  CHECK_ERROR(models::preset_training("vaswani"),
              "preset: unknown preset 'vaswani'; available: sutskever, cho, bahdanau, d2l, notebook");
}

TEST_CASE("initial values follow the chosen distribution", "[models][init]") {
  const auto check = [](const ModelOptions& options, std::string_view wanted, double deviation) {
    INFO(wanted);
    gradus::seed(1);
    const Model model = models::make_model(options, {.source = 300, .target = 300});
    for (const auto& [name, parameter] : model->named_parameters()) {
      if (name != wanted) continue;
      const double tolerance = 3 * deviation / std::sqrt(parameter.numel());
      CHECK(std::abs(std::sqrt(mean(parameter * parameter).item()) - deviation) <= tolerance);
      return;
    }
    FAIL("no such parameter");
  };
  using models::Initial;
  check({.initial = Initial::small}, "decoder.rnn.weight_ih_l0", 0.01);
  check({.initial = Initial::small}, "decoder.attention.v_a", 0.01);
  check({.initial = Initial::small}, "decoder.rnn.bias_ih_l0", 0);
  check({.initial = Initial::xavier}, "decoder.rnn.weight_hh_l0", std::sqrt(2.0 / (192 + 64)));
  check({.initial = Initial::xavier}, "decoder.embedding.weight", models::embedding_deviation);
  check({.tied = models::Tied::output, .initial = Initial::xavier}, "decoder.readout.weight",
        models::embedding_deviation);
  check({.initial = Initial::bahdanau}, "decoder.attention.W_a.weight", 0.001);
  check({.initial = Initial::pytorch}, "decoder.rnn.weight_hh_l0", 1 / std::sqrt(3 * 64.0));
  check({.readout = ReadoutForm::maxout, .maxout = 50}, "decoder.readout.weight", 1 / std::sqrt(3 * 50.0));
  check({.readout = ReadoutForm::maxout, .maxout = 50}, "decoder.readout.bias", 1 / std::sqrt(3 * 50.0));
}

TEST_CASE("a registry accepts custom attentions and decoders", "[models][registry]") {
  models::Registry registry = models::Registry::standard();
  models::AttentionSizes seen{};
  registry.attentions["mine"] = {[&](const models::AttentionSizes& sizes) {
    seen = sizes;
    return std::make_unique<nn::AdditiveAttention>(sizes.query, sizes.value, 2);
  }};
  const Model model = models::make_model(small({.attention = "mine"}), vocabularies, registry);
  CHECK(seen.query == 4);
  CHECK(seen.value == 8);
  CHECK(seen.energy == 3);
  CHECK(std::isfinite(models::loss(*model, batch).total.item()));
}

TEST_CASE("Bridge::copy needs an encoder of the same shape", "[models][errors]") {
  const auto loss = [](Cell cell, std::int64_t hidden) {
    const models::Seq2Seq model(
        {.vocabulary = 9, .hidden = hidden, .bidirectional = false, .cell = cell},
        std::make_unique<models::FixedContextDecoder>(models::DecoderOptions{
            .vocabulary = 9, .annotation = hidden, .hidden = 4, .bridge = Bridge::copy}));
    return models::loss(model, batch).total.item();
  };
  const std::string message =
      "FixedContextDecoder: s_0 is the encoder's last state, so the encoder must have the decoder's "
      "cell, 1 layer of 4 and one direction; or choose another bridge [in decoder]";
  CHECK(std::isfinite(loss(Cell::gru, 4)));
  CHECK_ERROR(loss(Cell::lstm, 4), message);
  CHECK_ERROR(loss(Cell::gru, 6), message);
}

TEST_CASE("incompatible model options are refused", "[models][errors]") {
  CHECK_ERROR(make(small({.decoder = "luong"})),
              "make_model: unknown decoder 'luong'; available: bahdanau, cho, fixed");
  CHECK_ERROR(make(small({.attention = "cosine"})),
              "make_model: unknown attention 'cosine'; available: additive, dot, gumbel, hard, local_p, "
              "location, monotonic, scaled_dot, shared_additive, sparsemax, top_k");
  CHECK_ERROR(models::preset("vaswani"),
              "preset: unknown preset 'vaswani'; available: sutskever, cho, bahdanau, d2l, notebook");
  CHECK_ERROR(
      models::make_model(small({.tied = models::Tied::all}), {.source = 9, .target = 8}),
      "make_model: source and target share their embeddings, but have vocabularies of 9 and 8 tokens; "
      "use one vocabulary, or Tied::output");
  CHECK_ERROR(make(small({.decoder = "cho", .bridge = Bridge::copy})),
              "ChoDecoder: s_0 is computed from the context c, so the bridge must be summary or zeros");
  CHECK_ERROR(models::loss(*make(small({.bridge = Bridge::copy})), batch),
              "BahdanauDecoder: s_0 is the encoder's last state, so the encoder must have the decoder's "
              "cell, 1 layer of 4 and one direction; or choose another bridge [in decoder]");
  CHECK_ERROR(
      models::loss(*make(small({.bidirectional = false, .bridge = Bridge::backward})), batch),
      "BahdanauDecoder: s_0 is computed from the backward state of the first token; the encoder must be "
      "bidirectional [in decoder]");
  CHECK_ERROR(models::Encoder({.vocabulary = 3, .vectors = 2}),
              "Encoder: needs either a vocabulary (tokens) or a vector size, and got 3 and 2");
}
