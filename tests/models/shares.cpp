// Batches that threads share by their sequences.

#include <gradus/autograd/random.hpp>
#include <gradus/models/bahdanau_decoder.hpp>
#include <gradus/models/beam_search.hpp>
#include <gradus/models/force.hpp>
#include <gradus/models/greedy.hpp>
#include <gradus/models/sample.hpp>
#include <gradus/nn/additive_attention.hpp>
#include <gradus/nn/dot_product_attention.hpp>

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

// Of all lengths.
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
  std::vector<Tensor> numbers;  // the loss, and the gradients of all parameters
};

Made made_by(const models::Seq2Seq& model, int threads) {
  const Threads set(threads);
  for (Tensor parameter : model.parameters()) parameter.zero_grad();
  const Tensor loss = model.loss(data::make_batch(many_pairs()));
  loss.backward();
  Made made{printed(loss), {loss.detach()}};
  for (const Tensor& parameter : model.parameters()) made.numbers.push_back(parameter.grad());
  return made;
}

bool is_shared(const Made& made) { return made.loss.find("parallel_sum") != std::string::npos; }

}  // namespace

TEST_CASE("threads that share a batch by its sequences make the loss and the gradients of one",
          "[models][shares]") {
  for (const Model& model : tiny_models()) {
    model->to(Dtype::f64);
    const Made alone = made_by(*model, 1);
    CHECK(!is_shared(alone));
    for (const int threads : {2, 3, 4}) {
      const Made together = made_by(*model, threads);
      CHECK(is_shared(together));
      for (std::size_t i = 0; i < alone.numbers.size(); ++i) {
        CHECK(difference(together.numbers[i], alone.numbers[i], 1e-12) == "");
      }
      const Made again = made_by(*model, threads);
      for (std::size_t i = 0; i < alone.numbers.size(); ++i) {
        CHECK(difference(again.numbers[i], together.numbers[i], 0) == "");
      }
    }
    const gradus::NoGrad no_grad;
    const Threads set(2);
    CHECK(difference(model->loss(data::make_batch(many_pairs())), alone.numbers[0], 1e-12) == "");
  }
}

TEST_CASE("threads that share a batch decode what one does", "[models][shares]") {
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
      for (models::Forced& one : models::force(*model, many_pairs())) all.push_back(std::move(one));
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

TEST_CASE("what is wrong in a shared batch is named by its place in the whole", "[models][shares]") {
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
  const auto train = [&] { return model->loss(batch); };
  const Tensor too_few = x.source_lengths.slice(0, 40);
  const auto decode_fewer = [&] { models::greedy(*model, x.source, too_few); };
  CHECK(message(1, decode).find("index 9 at position 40 of (6, 53)") != std::string::npos);
  CHECK(message(2, decode) == message(1, decode));
  CHECK(message(2, train) == message(1, train));
  CHECK(message(2, decode_fewer) == message(1, decode_fewer));
}

TEST_CASE("a batch is not shared where something is drawn, nor by a decoder that does not allow it",
          "[models][shares]") {
  const models::EncoderOptions encoder{.vocabulary = 9, .embedding = 5, .hidden = 4};
  const models::DecoderOptions decoder{.vocabulary = 9, .annotation = 8, .embedding = 5, .hidden = 4};
  const auto bahdanau = [&](double dropout, double of_attention) {
    models::DecoderOptions options = decoder;
    options.dropout = dropout;
    return std::make_unique<models::BahdanauDecoder>(
        options, std::make_unique<gradus::nn::AdditiveAttention>(4, 8, 3, of_attention));
  };
  CHECK(models::Seq2Seq(encoder, bahdanau(0, 0)).can_be_shared());
  for (const auto& [dropout, of_attention] : {std::pair{0.2, 0.0}, std::pair{0.0, 0.2}}) {
    models::Seq2Seq model(encoder, bahdanau(dropout, of_attention));
    CHECK(!model.can_be_shared());
    CHECK(!is_shared(made_by(model, 2)));
    model.eval();
    CHECK(model.can_be_shared());
  }
  models::EncoderOptions dropping = encoder;
  dropping.dropout = 0.2;
  models::Seq2Seq model(dropping, bahdanau(0, 0));
  CHECK(!model.can_be_shared());
  model.eval();
  CHECK(model.can_be_shared());

  class Derived : public models::BahdanauDecoder {
   public:
    using BahdanauDecoder::BahdanauDecoder;
  };
  CHECK(!models::Seq2Seq(encoder, std::make_unique<Derived>(decoder, 3)).can_be_shared());
  CHECK(!models::Seq2Seq(encoder, std::make_unique<models::BahdanauDecoder>(
                                      decoder, std::make_unique<gradus::nn::DotProductAttention>()))
             .can_be_shared());
}
