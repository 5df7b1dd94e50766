// Beam search, compared with greedy decoding and with exhaustive search.

#include <gradus/models/beam_search.hpp>

#include <algorithm>
#include <limits>
#include <set>

#include "models/decoding.hpp"

namespace data = gradus::data;
namespace models = gradus::models;
namespace nn = gradus::nn;
using gradus::Tensor;

namespace {

const BatchTensors x(tiny_batch());

// Writes token 3 once per source token, then EOS. Records the number of rows of each step. The likeliest
// token is e^margin times as likely as every other token.
class Sure : public nn::DecoderStep {
 public:
  explicit Sure(float margin) : margin_(margin) {}

  Start start(const nn::Annotations& annotations) const override {
    return {.state = {{"left", annotations.lengths}}, .memory = {}};
  }
  Output step(const Tensor& previous, const nn::State& state, const nn::Memory&) const override {
    rows.push_back(previous.size(0));
    const Ids left = state["left"].to_vector<std::int64_t>();
    Tensor logits = gradus::zeros({std::ssize(left), 5});
    Ids next;
    for (std::size_t b = 0; b < left.size(); ++b) {
      logits.mutable_values<float>()[b * 5 + (left[b] > 0 ? 3 : data::eos)] = margin_;
      next.push_back(left[b] - 1);
    }
    return {.logits = logits, .state = {{{"left", integers(next)}}, state.step() + 1}, .weights = {}};
  }

  mutable Ids rows;

 private:
  float margin_;
};

Ids rows_of_steps(float margin, const models::BeamOptions& options) {
  const models::Seq2Seq model({.vocabulary = 5, .embedding = 2, .hidden = 2}, std::make_unique<Sure>(margin));
  const Tensor source = gradus::full({3, 2}, 4, gradus::Dtype::i64);
  const auto found = models::beam_search(model, source, integers({1, 3}), options, 40);
  CHECK(found[0][0].tokens == Ids{3, 2});
  CHECK(found[1][0].tokens == Ids{3, 3, 3, 2});
  return static_cast<const Sure&>(*model.decoder).rows;
}

}  // namespace

TEST_CASE("a beam of 1 is greedy decoding, token for token", "[models][beam]") {
  for (const Model& model : decisive_models()) {
    for (const float eos : {0.F, 2.F}) {  // 2 makes outputs end before the maximum length
      prefer(*model, data::eos, eos);
      const double alpha = GENERATE(0.0, 0.6);
      const auto beam =
          models::beam_search(*model, x.source, x.source_lengths, {.width = 1, .length_penalty = alpha});
      const auto greedy = models::greedy(*model, x.source, x.source_lengths);
      for (std::size_t b = 0; b < greedy.size(); ++b) {
        REQUIRE(beam[b].size() == 1);
        check_same(beam[b][0], greedy[b]);
        CHECK(std::abs(beam[b][0].score - score(greedy[b], alpha, 0)) < 1e-5);
      }
    }
  }
}

TEST_CASE("a beam of at least V^T finds the best of all outputs, in order", "[models][beam]") {
  constexpr std::int64_t steps = 3, all = 7 * 7 * 7;  // 7 of the ids can be written
  const double alpha = GENERATE(0.0, 0.6, 2.0), beta = GENERATE(0.0, 0.4);
  for (const Model& model : decisive_models()) {
    INFO(*model << ", length penalty " << alpha << ", coverage penalty " << beta);
    if (beta > 0 && !attends(*model)) continue;
    models::BeamOptions options{.width = all, .length_penalty = alpha, .coverage_penalty = beta};
    const auto best = models::beam_search(*model, x.source, x.source_lengths, options, steps);
    options.n_best = 1 + 6 + 36;  // the number of outputs that end in EOS
    const auto ranked = models::beam_search(*model, x.source, x.source_lengths, options, steps);
    for (std::size_t b = 0; b < tiny_pairs.size(); ++b) {
      const auto expected = exhaustive(*model, tiny_pairs[b].source, steps, alpha, beta);
      REQUIRE(best[b].size() == 1);
      check_same(best[b][0], expected[0]);
      CHECK((tokens_of(ranked[b]) == tokens_of(expected)));
      for (std::size_t n = 0; n < expected.size(); ++n) {
        CHECK(std::abs(ranked[b][n].score - expected[n].score) < 1e-4);
      }
    }
  }
}

TEST_CASE("the n best are distinct, best first, and begin with the results for a smaller n",
          "[models][beam]") {
  for (const Model& model : decisive_models()) {
    INFO(*model);
    prefer(*model, data::eos, 15);  // EOS outweighs all other tokens, so six hypotheses end early
    const auto search = [&](std::int64_t n) {
      return models::beam_search(*model, x.source, x.source_lengths, {.width = 6, .n_best = n});
    };
    const auto six = search(6), two = search(2);
    for (std::size_t b = 0; b < six.size(); ++b) {
      REQUIRE(six[b].size() == 6);
      const std::vector<Ids> tokens = tokens_of(six[b]);
      CHECK(std::set<Ids>(tokens.begin(), tokens.end()).size() == 6);
      for (const models::Decoded& one : six[b]) CHECK(one.tokens.back() == data::eos);
      CHECK(std::ranges::is_sorted(six[b], std::greater<>{}, &models::Decoded::score));
      CHECK(tokens_of(two[b]) == std::vector<Ids>{tokens[0], tokens[1]});
    }
  }
}

TEST_CASE("incomplete hypotheses follow the complete ones", "[models][beam]") {
  const Model model = std::move(decisive_models()[0]);
  const auto found = models::beam_search(*model, x.source, x.source_lengths,
                                         {.width = 343, .n_best = 20, .length_penalty = 1}, 2);
  for (const auto& list : found) {
    REQUIRE(list.size() == 20);
    for (std::size_t n = 0; n < list.size(); ++n) {
      CHECK((list[n].tokens.back() == data::eos) == (n < 7));  // EOS, or one of six tokens and EOS
      CHECK(std::abs(list[n].score - score(list[n], 1, 0)) < 1e-5);
      if (n != 0 && n != 7) CHECK(list[n].score <= list[n - 1].score);
    }
  }
}

TEST_CASE("a coverage penalty also orders incomplete hypotheses", "[models][beam]") {
  const Model model = std::move(decisive_models()[0]);
  constexpr std::size_t complete = 1 + 6 + 36, all = 100;  // from step 3 on, the weights depend on the tokens
  const auto found = models::beam_search(*model, x.source, x.source_lengths,
                                         {.width = 343, .n_best = all, .coverage_penalty = 5}, 3);
  for (const auto& list : found) {
    REQUIRE(list.size() == all);
    for (std::size_t n = complete; n < all; ++n) {
      CHECK(list[n].tokens.back() != data::eos);
      if (n > complete) CHECK(list[n].score <= list[n - 1].score);
    }
  }
}

TEST_CASE("there are fewer than n results if there are fewer outputs", "[models][beam]") {
  const Model model = models::make_bahdanau({.vocabulary = 4, .embedding = 3, .hidden = 4});
  const auto found = models::beam_search(*model, gradus::full({1, 1}, 3, gradus::Dtype::i64), integers({1}),
                                         {.width = 9, .n_best = 9}, 2);
  std::vector<Ids> tokens = tokens_of(found[0]);
  std::ranges::sort(tokens);
  CHECK(tokens == std::vector<Ids>{{2}, {3, 2}, {3, 3}});
}

TEST_CASE("ties between hypotheses keep the lower ids", "[models][beam]") {
  const Model model = std::move(tiny_models()[0]);
  for (const Tensor& parameter : model->parameters()) overwrite(parameter, 0);
  const auto found = models::beam_search(*model, x.source, x.source_lengths,
                                         {.width = 3, .n_best = 3, .length_penalty = 0}, 2);
  for (const auto& list : found) CHECK(tokens_of(list) == std::vector<Ids>{{2}, {3, 2}, {3, 3}});
}

TEST_CASE("each source's search ends when no live hypothesis can win", "[models][beam]") {
  // The first step has one row per source. Later steps have two rows per source whose search has not ended.
  CHECK(rows_of_steps(20, {.width = 2}) == Ids{2, 4, 2, 2});
  CHECK(rows_of_steps(20, {.width = 2, .length_penalty = 0}) == Ids{2, 4, 2, 2});
  // The likeliest token has ln p = −0.182, any other −3.18. After 4 steps, the output of the longer source is
  // complete: ln p = −0.726, a score of −0.323. Any other hypothesis loses 3.18 at each step after the third.
  // At best, it is divided by the penalty of 40 tokens, (45 / 6)² = 56.25. So it can win while its ln p is
  // above −0.323 · 56.25 = −18.2. It has −16.4 after 8 steps, and −19.6 after 9 steps.
  CHECK(rows_of_steps(3, {.width = 2, .length_penalty = 2}).size() == 9);
}

TEST_CASE("the coverage penalty of a source position without weight is finite", "[models][beam]") {
  // All weight is on the first token.
  class First : public nn::Attention {
   public:
    Result attend(const Tensor& query, const nn::Memory& memory, std::int64_t, const Tensor&) const override {
      Tensor weights = gradus::zeros({query.size(0), memory.values.size(0)});
      for (std::int64_t b = 0; b < weights.size(0); ++b)
        weights[b].slice(0, 1).mutable_values<float>()[0] = 1;
      return {memory.values[0], weights};
    }
  };
  const models::Seq2Seq model = luong_model(std::make_unique<First>(), 8);
  const auto found = models::beam_search(model, x.source, x.source_lengths,
                                         {.width = 3, .length_penalty = 0, .coverage_penalty = 1}, 6);
  const double unseen = std::log(std::numeric_limits<float>::min());
  for (std::size_t b = 0; b < 3; ++b) {
    const auto others = static_cast<double>(tiny_pairs[b].source.size() - 1);
    CHECK(std::abs(found[b][0].score - (found[b][0].log_probability + others * unseen)) < 1e-4);
  }
}

TEST_CASE("options of beam search outside their ranges are refused", "[models][beam]") {
  const Model model = std::move(tiny_models()[0]);
  const auto check_refused = [&](const models::BeamOptions& options, const std::string& message) {
    CHECK_ERROR(models::beam_search(*model, x.source, x.source_lengths, options), message);
    CHECK_ERROR(models::beam_search(options), message);
  };
  check_refused({.width = 0}, "beam_search: the width must be at least 1, and is 0");
  check_refused({.width = 3, .n_best = 4},
                "beam_search: n_best must be at least 1 and at most the width, 3, and is 4");
  check_refused({.n_best = 0}, "beam_search: n_best must be at least 1 and at most the width, 5, and is 0");
  check_refused({.length_penalty = -1},
                "beam_search: the length penalty must be finite and at least 0, and is -1");
  check_refused({.length_penalty = std::nan("")},
                "beam_search: the length penalty must be finite and at least 0, and is nan");
  check_refused({.coverage_penalty = -0.5},
                "beam_search: the coverage penalty must be finite and at least 0, and is -0.5");
  check_refused({.coverage_penalty = std::numeric_limits<double>::infinity()},
                "beam_search: the coverage penalty must be finite and at least 0, and is inf");
}

TEST_CASE("a coverage penalty needs attention", "[models][beam]") {
  const Model model = std::move(tiny_models()[1]);
  CHECK_ERROR(
      models::beam_search(*model, x.source, x.source_lengths, {.coverage_penalty = 0.2}),
      "beam_search: the coverage penalty is 0.2, but the decoder gives no attention weights; set it to 0");
}
