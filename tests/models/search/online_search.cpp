// Decoding while the source arrives: the same tokens as greedy(), however the source is divided; causality;
// errors.

#include <gradus/models/greedy.hpp>
#include <gradus/models/model.hpp>
#include <gradus/models/online_search.hpp>

#include "models/helpers.hpp"

namespace models = gradus::models;
using gradus::Dtype;
using gradus::Generator;
using gradus::Tensor;

namespace {

constexpr std::int64_t D = 3, vocabulary = 9;

models::ModelOptions online(std::int64_t pyramid = 0) {
  return {.attention = "monotonic",
          .embedding = 5,
          .hidden = 4,
          .energy = 3,
          .pyramid = pyramid,
          .bidirectional = false,
          .bridge = models::Bridge::zeros};
}

// A model that writes different tokens, seldom ends, and moves to a later position at about half of the
// steps. The parameters are so large that the energies depend on the state.
Model make(models::ModelOptions options, bool of_tokens = false, std::uint64_t seed = 1) {
  gradus::seed(seed);
  Model model = models::make_model(options, of_tokens ? models::Vocabularies{vocabulary, vocabulary}
                                                      : models::Vocabularies{0, vocabulary, D});
  model->to(Dtype::f64);
  model->eval();
  for (auto& [name, parameter] : model->named_parameters()) {
    const auto values = Tensor(parameter).mutable_values<double>();
    for (double& value : values) value *= name == "decoder.attention.W_a.weight" ? 20 : 4;
    if (name == "decoder.attention.r") values[0] = 0;
    if (name == "decoder.readout.bias") values[gradus::data::eos] -= 2;
  }
  return model;
}

Tensor frames(std::int64_t T, Generator& generator) { return normal({T, D}, 0, 1, generator, Dtype::f64); }

Ids greedy_tokens(const models::Seq2Seq& model, const Tensor& source,
                  const models::MaxSteps& max_steps = {}) {
  Ids tokens = models::greedy(model, unsqueeze(source, 1), integers({source.size(0)}), max_steps)[0].tokens;
  if (!tokens.empty() && tokens.back() == gradus::data::eos) tokens.pop_back();
  return tokens;
}

struct Heard {
  Ids early, all;  // the tokens before the end of the source, and all tokens
};

// Reads the source in random parts of 0 to 4 frames.
Heard hear(const models::Seq2Seq& model, const Tensor& source, Generator& generator,
           const models::MaxSteps& max_steps = {}) {
  models::OnlineSearch search(model, max_steps);
  Heard heard;
  const auto add = [&](const Ids& tokens) {
    heard.all.insert(heard.all.end(), tokens.begin(), tokens.end());
  };
  for (std::int64_t t = 0; t < source.size(0);) {
    const std::int64_t next = std::min(source.size(0), t + static_cast<std::int64_t>(generator.below(5)));
    add(search.read(source.slice(t, next)));
    t = next;
  }
  heard.early = heard.all;
  add(search.finish());
  CHECK(search.ended());
  return heard;
}

}  // namespace

TEST_CASE("the tokens of OnlineSearch are those of greedy, however the source is divided",
          "[models][online]") {
  Generator generator(3);
  std::int64_t early = 0, late = 0;
  for (const std::int64_t pyramid : {0, 1, 2, 3}) {
    for (const models::Cell cell : {models::Cell::gru, models::Cell::lstm}) {
      for (const std::uint64_t seed : {1, 2, 3, 4}) {
        models::ModelOptions options = online(pyramid);
        options.cell = cell;
        options.layers = seed % 2 == 0 ? 2 : 1;
        options.convolution = seed > 2;
        const Model model = make(options, false, seed);
        for (const std::int64_t T : {1, 2, 7, 24}) {
          const Tensor source = frames(T, generator);
          INFO("pyramid " << pyramid << ", seed " << seed << ", " << T << " frames");
          const Heard heard = hear(*model, source, generator);
          CHECK(heard.all == greedy_tokens(*model, source));
          early += std::ssize(heard.early);
          late += std::ssize(heard.all) - std::ssize(heard.early);
        }
      }
    }
  }
  CHECK(early > 100);
  CHECK(late > 20);
}

TEST_CASE("OnlineSearch reads tokens, too", "[models][online]") {
  models::ModelOptions options = online();
  options.convolution = GENERATE(false, true);
  const Model model = make(options, true);
  Generator generator(4);
  for (int i = 0; i < 5; ++i) {
    Ids ids;
    for (int t = 0; t < 9; ++t) ids.push_back(3 + static_cast<std::int64_t>(generator.below(6)));
    CHECK(hear(*model, integers(ids), generator).all == greedy_tokens(*model, integers(ids)));
  }
}

TEST_CASE("what OnlineSearch has written does not depend on what follows", "[models][online]") {
  Generator generator(5);
  int differ = 0;  // beginnings with early output whose two continuations have different outputs
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Model model = make(online(), false, seed);
    const Tensor begin = frames(4, generator);
    const Ids first = models::OnlineSearch(*model).read(begin);
    std::vector<Ids> wholes;
    for (int i = 0; i < 2; ++i) {
      wholes.push_back(greedy_tokens(*model, gradus::concat({begin, frames(20, generator)}, 0)));
      REQUIRE(wholes.back().size() >= first.size());
      CHECK(Ids(wholes.back().begin(), wholes.back().begin() + std::ssize(first)) == first);
    }
    if (!first.empty() && wholes[0] != wholes[1]) ++differ;
  }
  CHECK(differ >= 3);
}

TEST_CASE("OnlineSearch writes at most max_steps tokens", "[models][online]") {
  Generator generator(6);
  std::int64_t most = 0;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    const Model model = make(online(), false, seed);
    const Tensor source = frames(12, generator);
    for (const std::int64_t steps : {0, 1, 3}) {
      const Ids written = hear(*model, source, generator, steps).all;
      CHECK(written == greedy_tokens(*model, source, steps));
      most = std::max(most, std::ssize(written));
    }
  }
  CHECK(most == 3);
}

TEST_CASE("OnlineSearch reports models that need the whole source, and wrong calls", "[models][online]") {
  const auto refused = [](models::ModelOptions options) {
    Model model = models::make_model(options, {0, vocabulary, D});
    model->eval();
    models::OnlineSearch{*model};
  };
  models::ModelOptions both = online(), additive = online(), summary = online(), fixed = online();
  both.bidirectional = true;
  additive.attention = "additive";
  summary.bridge = std::nullopt;
  fixed.decoder = "fixed";
  CHECK_ERROR(refused(both),
              "OnlineSearch: the encoder reads the source in both directions, so it needs the end of the "
              "source; train a model with an encoder of one direction");
  const std::string whole =
      "OnlineSearch: the decoder may attend to the whole source; train a BahdanauDecoder with "
      "MonotonicAttention";
  CHECK_ERROR(refused(additive), whole);
  CHECK_ERROR(refused(fixed), whole);
  CHECK_ERROR(
      refused(summary),
      "OnlineSearch: the decoder's first state is computed from the end of the source; train a model with "
      "Bridge::zeros");
  const Model training = make(online());
  training->train();
  CHECK_ERROR(models::OnlineSearch{*training},
              "OnlineSearch: the model is in training mode; call eval() first");

  Generator generator(7);
  const Model model = make(online());
  models::OnlineSearch search(*model);
  CHECK_ERROR(search.read(frames(2, generator)[0]),
              "OnlineSearch: the part of the source is (3) and must be (n, D)");
  CHECK(search.read(frames(2, generator).slice(0, 0)).empty());
  search.read(frames(2, generator));
  search.finish();
  CHECK_ERROR(search.read(frames(2, generator)),
              "OnlineSearch: the source has ended; use a new OnlineSearch for the next source");
  CHECK_ERROR(search.finish(), "OnlineSearch: the source has already ended");
  CHECK_ERROR(models::OnlineSearch(*model).finish(), "OnlineSearch: the source is empty");
  const Model reads_tokens = make(online(), true);
  CHECK_ERROR(models::OnlineSearch(*reads_tokens).read(frames(2, generator)),
              "OnlineSearch: the part of the source is (2, 3) and must be (n), of tokens");
}
