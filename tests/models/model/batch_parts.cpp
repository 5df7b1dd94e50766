// A batch is split into parts, which hold whole sequences. Threads compute the parts.

#include "models/model/batch_parts.hpp"

#include <gradus/autograd/random.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/models/bahdanau_decoder.hpp>
#include <gradus/models/beam_search.hpp>
#include <gradus/models/forced_decoding.hpp>
#include <gradus/models/greedy.hpp>
#include <gradus/models/model.hpp>
#include <gradus/models/sample.hpp>
#include <gradus/nn/additive_attention.hpp>
#include <gradus/nn/dot_product_attention.hpp>
#include <gradus/nn/projected_query.hpp>
#include <gradus/nn/shared_additive_attention.hpp>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "autograd/helpers.hpp"
#include "models/helpers.hpp"

namespace data = gradus::data;
namespace models = gradus::models;
using gradus::Dtype;
using gradus::Generator;
using gradus::Tensor;
using Tokens = std::vector<std::int64_t>;

namespace {

// Random pairs of many different lengths.
std::vector<data::Pair> many_pairs() {
  Generator generator(7);
  const auto sentence = [&] {
    Tokens tokens;
    for (std::uint64_t left = 1 + generator.below(6); left > 0; --left) {
      tokens.push_back(data::first_symbol + static_cast<std::int64_t>(generator.below(6)));
    }
    return tokens;
  };
  std::vector<data::Pair> pairs;
  for (int i = 0; i < 53; ++i) {
    pairs.push_back({sentence(), sentence()});
    pairs.back().target.push_back(data::eos);
  }
  return pairs;
}

struct Made {
  std::string loss;
  std::vector<Tensor> numbers;  // loss; unsmoothed loss and number of draws; gradients of all parameters
};

Made made_by(const models::Seq2Seq& model, int threads, double label_smoothing = 0) {
  const Threads set(threads);
  gradus::seed(5);
  for (Tensor parameter : model.parameters()) parameter.zero_grad();
  const auto [loss, plain, tokens] =
      models::loss(model, data::make_batch(many_pairs()), {.label_smoothing = label_smoothing});
  loss.backward();
  const auto drawn = static_cast<double>(gradus::default_generator().state().position);
  Made made{printed(loss), {loss.detach(), gradus::tensor({plain, drawn}, Dtype::f64)}};
  for (const Tensor& parameter : model.parameters()) made.numbers.push_back(parameter.grad());
  return made;
}

// Models with dropout, attention dropout or both. They cover several decoders and cells.
std::vector<Model> dropping_models() {
  const models::ModelOptions sizes{.embedding = 5, .hidden = 4, .energy = 3, .maxout = 6};
  std::vector<Model> all;
  const auto add = [&](auto change) {
    models::ModelOptions options = sizes;
    change(options);
    gradus::seed(1);
    all.push_back(models::make_model(options, {.source = 9, .target = 9}));
  };
  add([](auto& options) { options.dropout = 0.3; });
  add([](auto& options) { options.attention_dropout = 0.3; });
  add([](auto& options) {
    options.dropout = options.attention_dropout = 0.2;
    options.layers = 2;
  });
  add([](auto& options) {
    options.dropout = options.attention_dropout = 0.2;
    options.layers = 3;
    options.cell = models::Cell::lstm;
    options.attention = "dot";
    options.readout = models::ReadoutForm::maxout_earlier;
  });
  add([](auto& options) {
    options.decoder = "cho";
    options.dropout = 0.2;
    options.layers = 2;
    options.cell = models::Cell::original_gru;
  });
  return all;
}

bool is_shared(const Made& made) { return made.loss.find("parallel_sum") != std::string::npos; }

}  // namespace

TEST_CASE("a batch split among threads gives the loss and gradients of one thread", "[models][batch_parts]") {
  std::vector<Model> all = tiny_models();
  for (Model& model : dropping_models()) all.push_back(std::move(model));
  for (const Model& model : all) {
    INFO(*model);
    const double label_smoothing = GENERATE(0.0, 0.1);
    model->to(Dtype::f64);
    const Made alone = made_by(*model, 1, label_smoothing);
    CHECK(!is_shared(alone));
    for (const int threads : {2, 3, 4}) {
      const Made together = made_by(*model, threads, label_smoothing);
      CHECK(is_shared(together));
      for (std::size_t i = 0; i < alone.numbers.size(); ++i) {
        CHECK(difference(together.numbers[i], alone.numbers[i], 1e-12) == "");
      }
      const Made again = made_by(*model, threads, label_smoothing);
      for (std::size_t i = 0; i < alone.numbers.size(); ++i) {
        CHECK(difference(again.numbers[i], together.numbers[i], 0) == "");
      }
    }
    const gradus::NoGrad no_grad;
    const Threads set(2);
    gradus::seed(5);
    const Tensor unrecorded =
        models::loss(*model, data::make_batch(many_pairs()), {.label_smoothing = label_smoothing}).total;
    CHECK(difference(unrecorded, alone.numbers[0], 1e-12) == "");
  }
}

TEST_CASE("a batch split among threads decodes as with one thread", "[models][batch_parts]") {
  const data::Batch batch = data::make_batch(many_pairs());
  const BatchTensors x(batch);
  for (const Model& model : tiny_models()) {
    model->to(Dtype::f64);
    model->eval();
    const auto outputs = [&](int threads) {
      const Threads set(threads);
      std::vector<models::Decoded> all = models::greedy(*model, x.source, x.source_lengths);
      Generator generator(3);
      for (models::Decoded& one : models::sample(*model, x.source, x.source_lengths, {}, generator)) {
        all.push_back(std::move(one));
      }
      for (const auto& beam :
           models::beam_search(*model, x.source, x.source_lengths, {.width = 3, .n_best = 2})) {
        all.insert(all.end(), beam.begin(), beam.end());
      }
      for (models::Forced& one : models::force_decode(*model, many_pairs())) all.push_back(std::move(one));
      return all;
    };
    const std::vector<models::Decoded> alone = outputs(1);
    for (const int threads : {2, 3}) {
      const std::vector<models::Decoded> together = outputs(threads);
      REQUIRE(together.size() == alone.size());
      for (std::size_t i = 0; i < alone.size(); ++i) {
        CHECK((together[i].tokens == alone[i].tokens));
        CHECK(std::abs(together[i].log_probability - alone[i].log_probability) < 1e-5);
        CHECK(together[i].weights.defined() == alone[i].weights.defined());
        if (alone[i].weights.defined()) CHECK(difference(together[i].weights, alone[i].weights, 1e-5) == "");
      }
    }
  }
}

TEST_CASE("errors in a split batch name positions in the whole batch", "[models][batch_parts]") {
  const Model model = models::make_bahdanau(tiny);
  const auto message = [&](int threads, const auto& run) -> std::string {
    const Threads set(threads);
    try {
      run();
    } catch (const gradus::Error& error) {
      return error.what();
    }
    return "nothing is wrong";
  };
  data::Batch batch = data::make_batch(many_pairs());
  batch.source[40] = tiny.vocabulary;
  const BatchTensors x(batch);
  const auto decode = [&] { models::greedy(*model, x.source, x.source_lengths); };
  const auto train = [&] { return models::loss(*model, batch).total; };
  const Tensor too_few = x.source_lengths.slice(0, 40);
  const auto decode_fewer = [&] { models::greedy(*model, x.source, too_few); };
  CHECK(message(1, decode).find("index 9 at position 40 of (6, 53)") != std::string::npos);
  CHECK(message(2, decode) == message(1, decode));
  CHECK(message(2, train) == message(1, train));
  CHECK(message(2, decode_fewer) == message(1, decode_fewer));
}

TEST_CASE("searches in training mode draw the same with any number of threads", "[models][batch_parts]") {
  for (const Model& model : dropping_models()) {
    const BatchTensors x(data::make_batch(many_pairs()));
    const auto tokens = [&](int threads) {
      const Threads set(threads);
      gradus::seed(5);
      std::vector<Tokens> all;
      for (const models::Decoded& one : models::greedy(*model, x.source, x.source_lengths)) {
        all.push_back(one.tokens);
      }
      return all;
    };
    CHECK(tokens(2) == tokens(1));
  }
}

TEST_CASE("a batch is not split if the decoder does not allow it", "[models][batch_parts]") {
  const models::EncoderOptions encoder{.vocabulary = 9, .embedding = 5, .hidden = 4};
  const models::DecoderOptions decoder{.vocabulary = 9, .annotation = 8, .embedding = 5, .hidden = 4};
  const auto with = [&](auto attention) {
    return models::Seq2Seq(encoder, std::make_unique<models::BahdanauDecoder>(decoder, std::move(attention)));
  };
  CHECK(with(std::make_unique<gradus::nn::AdditiveAttention>(4, 8, 3)).can_be_shared());
  CHECK(with(std::make_unique<gradus::nn::SharedAdditiveAttention>(4, 8, 3)).can_be_shared());
  const auto dot = [] { return std::make_unique<gradus::nn::DotProductAttention>(); };
  CHECK(with(std::make_unique<gradus::nn::ProjectedQuery>(4, 8, dot())).can_be_shared());

  class Own : public gradus::nn::DotProductAttention {};
  CHECK(!with(std::make_unique<Own>()).can_be_shared());
  const models::Seq2Seq model =
      with(std::make_unique<gradus::nn::ProjectedQuery>(4, 8, std::make_unique<Own>()));
  CHECK(!model.can_be_shared());
  CHECK(!is_shared(made_by(model, 2)));
}

TEST_CASE("the parts of a batch take about the same time", "[models][batch_parts]") {
  const auto bounds = [](const Tokens& lengths, std::int64_t parts) {
    return models::bounds_of_parts(lengths, parts);
  };
  CHECK(bounds({7, 7, 7, 7}, 2) == Tokens{0, 2, 4});
  CHECK(bounds({5, 5, 5, 5, 45}, 2) == Tokens{0, 5, 5});  // costs: 4 · 20 and 100
  CHECK(bounds({5, 5, 5, 5, 35}, 2) == Tokens{0, 4, 5});  // costs: 4 · 20 and 80
  CHECK(bounds({95, 1, 1}, 4) == Tokens{0, 1, 1, 1, 3});  // costs: 200, 12, 12; two parts are empty
  CHECK(bounds({-20, -20, 0, 0}, 2) == Tokens{0, 2, 4});  // the encoder will reject these lengths
  CHECK(bounds({3}, 3) == Tokens{0, 1, 1, 1});
}
