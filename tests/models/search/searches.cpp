// Properties that every search must have.

#include <gradus/models/decode.hpp>

#include <limits>
#include <numeric>

#include "models/decoding.hpp"

namespace data = gradus::data;
namespace models = gradus::models;
using gradus::Tensor;

namespace {

const BatchTensors x(tiny_batch());

}  // namespace

TEST_CASE("a search's results have the weights and probabilities that force_decode() gives their tokens",
          "[models][search]") {
  for (const Model& model : decisive_models()) {
    prefer(*model, data::eos, 2);
    for (const auto& [name, search] : searches()) {
      INFO(name << " by " << *model);
      const auto found = search(*model, x.source, x.source_lengths, 7);
      REQUIRE(found.size() == tiny_pairs.size());
      for (std::size_t b = 0; b < found.size(); ++b) {
        for (const models::Decoded& one : found[b]) {
          REQUIRE_FALSE(one.tokens.empty());
          const data::Pair pair{tiny_pairs[b].source, one.tokens};
          check_same(one, models::force_decode(*model, {&pair, 1})[0]);
        }
      }
    }
  }
}

TEST_CASE("every search gives the same results for a batch as one by one", "[models][search]") {
  for (const Model& model : decisive_models()) {
    prefer(*model, data::eos, 2);
    const auto alone = searches();
    for (std::size_t i = 0; i < alone.size(); ++i) {
      INFO(alone[i].name << " by " << *model);
      const auto together = searches()[i].search(*model, x.source, x.source_lengths, {});
      for (std::size_t b = 0; b < tiny_pairs.size(); ++b) {
        const BatchTensors one(data::make_batch({&tiny_pairs[b], 1}));
        const auto found = alone[i].search(*model, one.source, one.source_lengths, {})[0];
        REQUIRE(found.size() == together[b].size());
        for (std::size_t n = 0; n < found.size(); ++n) {
          check_same(together[b][n], found[n]);
          CHECK(std::abs(together[b][n].score - found[n].score) < 1e-4);
        }
      }
    }
  }
}

TEST_CASE("no search writes PAD or BOS, however likely", "[models][search]") {
  for (const Model& model : decisive_models()) {
    prefer(*model, data::pad, 1000);
    prefer(*model, data::bos, 1000);
    for (const auto& [name, search] : searches()) {
      INFO(name << " by " << *model);
      for (const auto& found : search(*model, x.source, x.source_lengths, 5)) {
        for (const models::Decoded& one : found) {
          for (const std::int64_t token : one.tokens) CHECK(token >= data::eos);
          CHECK(one.log_probability < -500 * static_cast<double>(one.tokens.size()));
        }
      }
    }
  }
}

TEST_CASE("an output ends if only PAD and BOS have a probability above 0", "[models][search]") {
  for (const Model& model : decisive_models()) {
    for (std::int64_t token = data::eos; token < tiny.vocabulary; ++token) {
      prefer(*model, token, -std::numeric_limits<float>::infinity());
    }
    for (const auto& [name, search] : searches()) {
      INFO(name << " by " << *model);
      for (const auto& found : search(*model, x.source, x.source_lengths, 5)) {
        CHECK(tokens_of(found) == std::vector<Ids>{{data::eos}});
      }
    }
  }
}

TEST_CASE("without steps there are no tokens", "[models][search]") {
  const Model model = std::move(decisive_models()[0]);
  for (const auto& [name, search] : searches()) {
    INFO(name);
    const auto found = search(*model, x.source, x.source_lengths, 0);
    REQUIRE(found.size() == 3);
    for (const auto& list : found) {
      REQUIRE(list.size() == 1);
      CHECK(list[0].tokens.empty());
      CHECK_FALSE(list[0].weights.defined());
      CHECK(list[0].score == 0);
    }
  }
}

TEST_CASE("a search by a model in f64 gives weights in f32", "[models][search]") {
  const Model model = std::move(decisive_models()[0]);
  model->to(gradus::Dtype::f64);
  for (const auto& [name, search] : searches()) {
    INFO(name);
    CHECK(search(*model, x.source, x.source_lengths, 3)[0][0].weights.dtype() == gradus::Dtype::f32);
  }
}

TEST_CASE("logits that are not finite are an error in every search", "[models][search]") {
  const float bad = GENERATE(std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity());
  const Model model = std::move(decisive_models()[0]);
  prefer(*model, 4, bad);
  for (const auto& [name, search] : searches()) {
    INFO(name);
    CHECK_ERROR(search(*model, x.source, x.source_lengths, 3),
                "decode: the decoder's logits hold NaN or infinity; check the parameters, or decode "
                "under DetectAnomaly");
  }
}

TEST_CASE("a vocabulary without EOS is an error", "[models][search]") {
  const Model model = models::make_fixed_context({.vocabulary = 2, .embedding = 3, .hidden = 4});
  CHECK_ERROR(models::greedy(*model, gradus::full({1, 1}, 1, gradus::Dtype::i64), integers({1})),
              "decode: the logits are (1, 2) and must be (B, V) with V above the id of EOS, 2");
}

TEST_CASE("decode() gives the same in batches of any size, in the order of the sources", "[models][search]") {
  const Model model = std::move(decisive_models()[0]);
  const std::vector<Ids> sources = {{3, 8, 5, 3}, {6}, {4, 7}, {5, 5, 5, 3, 4, 6}, {7}, {8, 3}};
  for (std::size_t i : {0U, 2U}) {  // not 1, sampling, which depends on the order of the sources
    for (const std::int64_t batch_tokens : {1, 4, 100}) {
      INFO(searches()[i].name << ", " << batch_tokens);
      const auto found =
          models::decode(*model, sources, searches()[i].search, {.batch_tokens = batch_tokens});
      REQUIRE(found.size() == sources.size());
      for (std::size_t b = 0; b < sources.size(); ++b) {
        const auto expected =
            searches()[i].search(*model, gradus::tensor(sources[b], {std::ssize(sources[b]), 1}),
                                 integers({std::ssize(sources[b])}), {})[0];
        REQUIRE(found[b].size() == expected.size());
        for (std::size_t n = 0; n < expected.size(); ++n) check_same(found[b][n], expected[n]);
      }
    }
  }
}

TEST_CASE("decode() batches sources of similar length, up to batch_tokens", "[models][search]") {
  std::vector<gradus::Shape> shapes;
  std::vector<Ids> lengths;
  const models::Search note = [&](const models::Ensemble&, const Tensor& source, const Tensor& n,
                                  const models::MaxSteps& max_steps) {
    shapes.push_back(source.shape());
    lengths.push_back(n.to_vector<std::int64_t>());
    CHECK(max_steps.of(3) == 5);
    return std::vector<std::vector<models::Decoded>>(static_cast<std::size_t>(n.size(0)));
  };
  const Model model = std::move(tiny_models()[0]);
  const std::vector<Ids> sources = {{3, 3, 3}, {4}, {3, 4, 5, 6, 7, 8, 3}, {4, 4}, {5}};
  models::decode(*model, sources, note, {.max_steps = 5, .batch_tokens = 6});
  CHECK(shapes == std::vector<gradus::Shape>{{2, 3}, {3, 1}, {7, 1}});
  CHECK(lengths == std::vector<Ids>{{1, 1, 2}, {3}, {7}});
  lengths.clear();
  models::decode(*model, sources, note, {.max_steps = 5, .batch_tokens = 5});
  CHECK(lengths == std::vector<Ids>{{1, 1}, {2}, {3}, {7}});
  CHECK(models::decode(*model, {}, note).empty());
}

TEST_CASE("decode() refuses empty sources, batch_tokens below 1, and searches with missing results",
          "[models][search]") {
  const Model model = std::move(tiny_models()[0]);
  const std::vector<Ids> sources = {{3}, {}};
  CHECK_ERROR(models::decode(*model, sources, models::greedy()),
              "decode: source 1 is empty; remove empty sentences");
  CHECK_ERROR(models::decode(*model, sources, models::greedy(), {.batch_tokens = 0}),
              "decode: the number of tokens per batch must be at least 1, and is 0");
  const models::Search none = [](const models::Ensemble&, const Tensor&, const Tensor&,
                                 const models::MaxSteps&) {
    return std::vector<std::vector<models::Decoded>>();
  };
  CHECK_ERROR(models::decode(*model, std::vector<Ids>{{3}, {4, 5}}, none),
              "decode: the search returned results for 0 of 2 sources");
}
