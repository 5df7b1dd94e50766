// Minimum length and blocking of repeated n-grams, compared with plain searches.

#include <gradus/models/constraints.hpp>
#include <gradus/models/decode.hpp>

#include <set>

#include "models/decoding.hpp"

namespace data = gradus::data;
namespace models = gradus::models;
using gradus::Tensor;
using models::Constraints;

namespace {

const BatchTensors x(tiny_batch());

bool repeats(const Ids& tokens, std::int64_t n) {
  std::set<Ids> seen;
  for (auto at = tokens.begin(); n > 0 && std::distance(at, tokens.end()) >= n; ++at) {
    if (!seen.insert(Ids(at, at + n)).second) return true;
  }
  return false;
}

// True if these tokens, with or without a final EOS, obey the constraints.
bool obeys(const Ids& tokens, const Constraints& constraints) {
  const bool ended = !tokens.empty() && tokens.back() == data::eos;
  return !repeats(tokens, constraints.no_repeat_ngram) &&
         (!ended || std::ssize(tokens) - 1 >= constraints.min_length);
}

// Greedy decoding of one source, written as a plain loop.
Ids plain_greedy(const models::Seq2Seq& model, const Ids& source, std::int64_t steps,
                 const Constraints& constraints) {
  const Tensor column = gradus::tensor(source, {std::ssize(source), 1});
  auto [state, memory] = model.decoder->start(model.encoder.forward(column, integers({std::ssize(source)})));
  Ids written;
  for (std::int64_t previous = data::bos; previous != data::eos && std::ssize(written) < steps;) {
    const auto output = model.decoder->step(integers({previous}), state, memory);
    state = output.state;
    double best = -INFINITY;
    for (std::int64_t token = data::eos; token < tiny.vocabulary; ++token) {
      Ids longer = written;
      longer.push_back(token);
      const double logit = output.logits[0][token].item();
      if (logit <= best || !obeys(longer, constraints)) continue;
      best = logit;
      previous = token;
    }
    written.push_back(previous);
  }
  return written;
}

std::vector<NamedSearch> searches_with(const Constraints& constraints) {
  return {{"greedy", models::greedy(constraints)},
          {"sample", models::sample({.temperature = 0.9, .top_k = 5, .constraints = constraints},
                                    gradus::Generator(5))},
          {"beam search", models::beam_search({.width = 4, .n_best = 3, .constraints = constraints})}};
}

}  // namespace

TEST_CASE("with constraints, an exhaustive beam finds the best of the allowed outputs, in order",
          "[models][search][constraints]") {
  constexpr std::int64_t steps = 4, all = 7 * 7 * 7 * 7;  // 7 of the ids can be written
  const auto constraints = GENERATE(Constraints{.min_length = 2}, Constraints{.no_repeat_ngram = 1},
                                    Constraints{.no_repeat_ngram = 2}, Constraints{2, 1}, Constraints{3, 2});
  for (const Model& model : decisive_models()) {
    INFO(*model << ", min_length " << constraints.min_length << ", n " << constraints.no_repeat_ngram);
    for (std::size_t b = 0; b < tiny_pairs.size(); ++b) {
      auto expected = exhaustive(*model, tiny_pairs[b].source, steps, 0.6, 0);
      const std::size_t unconstrained = expected.size();
      std::erase_if(expected, [&](const models::Decoded& one) { return !obeys(one.tokens, constraints); });
      REQUIRE(expected.size() < unconstrained);
      const BatchTensors one(data::make_batch({&tiny_pairs[b], 1}));
      const models::BeamOptions options{
          .width = all, .n_best = std::ssize(expected), .constraints = constraints};
      const auto ranked = models::beam_search(*model, one.source, one.source_lengths, options, steps)[0];
      CHECK((tokens_of(ranked) == tokens_of(expected)));
      check_same(ranked[0], expected[0]);  // the constraints do not change probabilities
    }
  }
}

TEST_CASE("with constraints, greedy decoding takes the likeliest allowed token",
          "[models][search][constraints]") {
  const auto constraints =
      GENERATE(Constraints{}, Constraints{.min_length = 5}, Constraints{.no_repeat_ngram = 1},
               Constraints{.no_repeat_ngram = 2}, Constraints{.no_repeat_ngram = 3}, Constraints{4, 2});
  bool matters = false;
  for (const Model& model : decisive_models()) {
    INFO(*model << ", min_length " << constraints.min_length << ", n " << constraints.no_repeat_ngram);
    for (const float eos : {0.F, 2.F}) {
      prefer(*model, data::eos, eos);
      const auto found = models::greedy(*model, x.source, x.source_lengths, 8, constraints);
      const models::BeamOptions one{.width = 1, .constraints = constraints};
      const auto beam = models::beam_search(*model, x.source, x.source_lengths, one, 8);
      for (std::size_t b = 0; b < tiny_pairs.size(); ++b) {
        CHECK(found[b].tokens == plain_greedy(*model, tiny_pairs[b].source, 8, constraints));
        CHECK(beam[b][0].tokens == found[b].tokens);
        matters = matters || found[b].tokens != plain_greedy(*model, tiny_pairs[b].source, 8, {});
      }
    }
  }
  CHECK(matters == (constraints.min_length + constraints.no_repeat_ngram > 0));
}

TEST_CASE("every search obeys the constraints, with the model's own probabilities",
          "[models][search][constraints]") {
  const auto constraints =
      GENERATE(Constraints{.min_length = 4}, Constraints{.no_repeat_ngram = 2}, Constraints{6, 2});
  for (const Model& model : decisive_models()) {
    prefer(*model, data::eos, 2);
    for (const auto& [name, search] : searches_with(constraints)) {
      INFO(name << " by " << *model);
      const auto found = search(*model, x.source, x.source_lengths, 12);
      for (std::size_t b = 0; b < found.size(); ++b) {
        REQUIRE_FALSE(found[b].empty());
        for (const models::Decoded& one : found[b]) {
          CHECK(obeys(one.tokens, constraints));
          const data::Pair pair{tiny_pairs[b].source, one.tokens};
          check_same(one, models::force_decode(*model, {&pair, 1})[0]);
        }
      }
    }
  }
}

TEST_CASE("with top_k = 1, constrained sampling is constrained greedy decoding",
          "[models][search][constraints]") {
  const Constraints constraints{5, 2};
  for (const Model& model : decisive_models()) {
    gradus::Generator generator(3);
    const models::SamplingOptions first{.top_k = 1, .constraints = constraints};
    CHECK(tokens_of(models::sample(*model, x.source, x.source_lengths, first, generator)) ==
          tokens_of(models::greedy(*model, x.source, x.source_lengths, {}, constraints)));
  }
}

TEST_CASE("an output ends when no token may follow", "[models][search][constraints]") {
  const Constraints constraints{.min_length = 10, .no_repeat_ngram = 1};
  const float eos = GENERATE(0.F, -1e6F, -std::numeric_limits<float>::infinity());
  for (const Model& model : decisive_models()) {
    prefer(*model, data::eos, eos);
    for (const auto& [name, search] : searches_with(constraints)) {
      INFO(name << " by " << *model);
      for (const auto& found : search(*model, x.source, x.source_lengths, 20)) {
        REQUIRE_FALSE(found.empty());
        for (const models::Decoded& one : found) {
          CHECK(one.tokens.size() == 7);  // each of the 6 ordinary tokens once, then EOS
          CHECK(one.tokens.back() == data::eos);
        }
      }
    }
  }
}

TEST_CASE("a beam search does not return outputs of probability 0", "[models][beam]") {
  for (const Model& model : decisive_models()) {
    for (const std::int64_t token : {3, 4, 5, 6, 7}) {
      prefer(*model, token, -std::numeric_limits<float>::infinity());
    }
    const models::BeamOptions options{.width = 20, .n_best = 20};  // only EOS and token 8 are possible
    for (const auto& found : models::beam_search(*model, x.source, x.source_lengths, options, 3)) {
      CHECK(found.size() == 4);  // EOS; 8 EOS; 8 8 EOS; and 8 8 8, which the maximum length cuts off
      for (const models::Decoded& one : found) CHECK(std::isfinite(one.log_probability));
    }
  }
}

TEST_CASE("the maximum number of steps takes precedence, and at_least() raises it",
          "[models][search][constraints]") {
  const models::MaxSteps usual;
  CHECK(usual.of(3) == 16);
  CHECK(usual.at_least(20).of(3) == 20);
  CHECK(usual.at_least(20).of(6) == 22);
  CHECK(models::MaxSteps(5).at_least(3).of(9) == 5);
  const Model model = std::move(decisive_models()[0]);
  prefer(*model, data::eos, 1000);
  for (const auto& [name, search] : searches_with({.min_length = 9})) {
    INFO(name);
    CHECK(search(*model, x.source, x.source_lengths, 4)[0][0].tokens.size() == 4);
    const auto longer = search(*model, x.source, x.source_lengths, models::MaxSteps(4).at_least(10));
    CHECK(longer[0][0].tokens.size() == 10);
    CHECK(longer[0][0].tokens.back() == data::eos);
  }
}

TEST_CASE("negative constraints are errors", "[models][search][constraints]") {
  const Constraints length{.min_length = -1}, ngram{.no_repeat_ngram = -2};
  const std::string least = "the minimum length must be at least 0, and is -1";
  const std::string repeated = "no_repeat_ngram must be at least 0 (any n-gram may be repeated), and is -2";
  CHECK_ERROR(models::greedy(length), "greedy: " + least);
  CHECK_ERROR(models::greedy(ngram), "greedy: " + repeated);
  CHECK_ERROR(models::sample({.constraints = length}, gradus::Generator(1)), "sample: " + least);
  CHECK_ERROR(models::beam_search({.constraints = ngram}), "beam_search: " + repeated);
  const Model model = std::move(tiny_models()[0]);
  CHECK_ERROR(models::greedy(*model, x.source, x.source_lengths, {}, length), "greedy: " + least);
}
