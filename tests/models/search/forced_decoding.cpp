// Forced decoding: scores of given targets.

#include <gradus/models/forced_decoding.hpp>

#include <numeric>

#include "models/decoding.hpp"

namespace data = gradus::data;
namespace models = gradus::models;
using gradus::Tensor;

namespace {

const Model& model() {
  static const Model first = std::move(decisive_models()[0]);
  return first;
}

void check_refused(const data::Pair& pair, const std::string& message) {
  std::vector<data::Pair> pairs = tiny_pairs;
  pairs[1] = pair;
  CHECK_ERROR(models::force_decode(*model(), pairs), message);
}

}  // namespace

TEST_CASE("given targets have the log-probabilities and weights of teacher forcing",
          "[models][forced_decoding]") {
  const BatchTensors x(tiny_batch());
  for (const Model& each : decisive_models()) {
    INFO(*each);
    const auto [logits, weights] = each->forward(x.source, x.source_lengths, x.target_in);
    const Tensor log_p = log_softmax(logits);
    for (const std::int64_t batch_tokens : {1, 100}) {
      const auto forced = models::force_decode(*each, tiny_pairs, batch_tokens);
      REQUIRE(forced.size() == tiny_pairs.size());
      for (std::size_t b = 0; b < forced.size(); ++b) {
        const auto [source, target] = tiny_pairs[b];
        const auto row = static_cast<std::int64_t>(b);
        CHECK(forced[b].tokens == target);
        REQUIRE(forced[b].likeliest.size() == target.size());
        double total = 0;
        for (std::size_t t = 0; t < target.size(); ++t) {
          const auto step = static_cast<std::int64_t>(t);
          const Tensor p = log_p[step][row];
          const double expected = p[target[t]].item();
          total += expected;
          CHECK(std::abs(forced[b].token_log_probabilities[t] - expected) < 1e-4);
          CHECK(forced[b].likeliest[t] == (max(p.slice(data::eos, p.size(0))).item() == expected));
          if (!weights[t].defined()) continue;
          CHECK(mismatch(forced[b].weights[step], weights[t][row].slice(0, std::ssize(source)), {1e-5, 0}) ==
                "");
        }
        CHECK(std::abs(forced[b].log_probability - total) < 1e-4);
        CHECK(forced[b].score == forced[b].log_probability);
        CHECK(forced[b].weights.defined() == weights[0].defined());
      }
    }
  }
}

TEST_CASE("the likeliest tokens are exactly those of greedy decoding", "[models][forced_decoding]") {
  std::vector<data::Pair> pairs = tiny_pairs;
  const auto greedy = models::greedy(*model(), pairs);
  for (std::size_t b = 0; b < pairs.size(); ++b) pairs[b].target = greedy[b].tokens;
  for (const models::Forced& one : models::force_decode(*model(), pairs)) {
    CHECK(one.likeliest == std::vector<bool>(one.tokens.size(), true));
  }
  for (data::Pair& pair : pairs) pair.target.back() = pair.target.back() == data::eos ? 3 : data::eos;
  for (const models::Forced& one : models::force_decode(*model(), pairs)) CHECK_FALSE(one.likeliest.back());
}

TEST_CASE("a target may lack EOS, and may be empty", "[models][forced_decoding]") {
  const std::vector<data::Pair> pairs = {{{3, 4}, {5, 6}}, {{3}, {}}};
  const auto forced = models::force_decode(*model(), pairs);
  CHECK(forced[0].tokens == Ids{5, 6});
  CHECK(forced[1].tokens.empty());
  CHECK(forced[1].log_probability == 0);
}

TEST_CASE("invalid pairs are refused with their index", "[models][forced_decoding]") {
  const std::string ordinary =
      ", but ordinary tokens start at 3; leave out PAD (0) and BOS (1), and put EOS (2) at the target's end "
      "only";
  check_refused({{3}, {4, 2, 5, 2}}, "force_decode: target[1] of pair 1 is 2" + ordinary);
  check_refused({{3}, {1, 4, 2}}, "force_decode: target[0] of pair 1 is 1" + ordinary);
  check_refused({{3}, {4, 0}}, "force_decode: target[1] of pair 1 is 0" + ordinary);
  check_refused({{3}, {4, 9}}, "force_decode: target[1] of pair 1 is 9, outside the vocabulary of 9 tokens");
  check_refused({{}, {4, 2}}, "force_decode: source 1 is empty; remove empty sentences");
  CHECK_ERROR(models::force_decode(*model(), tiny_pairs, 0),
              "force_decode: the number of tokens per batch must be at least 1, and is 0");
}
