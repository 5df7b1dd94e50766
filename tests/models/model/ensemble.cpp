// Ensembles: several models that decode one output together.

#include <gradus/models/decode.hpp>
#include <gradus/models/ensemble.hpp>

#include <algorithm>
#include <numeric>

#include "models/decoding.hpp"

namespace data = gradus::data;
namespace models = gradus::models;
using gradus::Tensor;
using models::Ensemble;

namespace {

const BatchTensors x(tiny_batch());

std::vector<const models::Seq2Seq*> pointers(const std::vector<Model>& models) {
  std::vector<const models::Seq2Seq*> members;
  for (const Model& model : models) members.push_back(model.get());
  return members;
}

// Models with and without attention, of different sizes. EOS is made likely, so that outputs end.
std::vector<Model> different_models() {
  std::vector<Model> models = decisive_models();
  for (const Model& model : models) prefer(*model, data::eos, 2);
  return models;
}

// ln((1/M) Σ_m exp(log_p_m)), the log of the mean probability of M members.
double log_mean(const std::vector<double>& log_ps) {
  const double sum = std::accumulate(log_ps.begin(), log_ps.end(), 0.0,
                                     [](double total, double log_p) { return total + std::exp(log_p); });
  return std::log(sum / static_cast<double>(log_ps.size()));
}

}  // namespace

TEST_CASE("an ensemble of a model with itself decodes as the model", "[models][search][ensemble]") {
  for (const Model& model : different_models()) {
    for (std::size_t i = 0; i < searches().size(); ++i) {
      INFO(searches()[i].name << " by " << *model);
      const auto expected = searches()[i].search(*model, x.source, x.source_lengths, 7);
      for (const std::size_t count : {1, 3}) {
        const Ensemble ensemble(std::vector<const models::Seq2Seq*>(count, model.get()));
        const auto found = searches()[i].search(ensemble, x.source, x.source_lengths, 7);
        REQUIRE(found.size() == expected.size());
        for (std::size_t b = 0; b < found.size(); ++b) {
          REQUIRE(found[b].size() == expected[b].size());
          for (std::size_t n = 0; n < found[b].size(); ++n) check_same(found[b][n], expected[b][n]);
        }
      }
    }
  }
}

TEST_CASE("an ensemble's probability of a token is the mean of its members'", "[models][search][ensemble]") {
  const std::vector<Model> models = different_models();
  const Ensemble ensemble(pointers(models));
  const auto found = models::force_decode(ensemble, tiny_pairs);
  std::vector<std::vector<models::Forced>> of_members;
  for (const Model& model : models) of_members.push_back(models::force_decode(*model, tiny_pairs));
  for (std::size_t i = 0; i < tiny_pairs.size(); ++i) {
    REQUIRE(found[i].tokens == tiny_pairs[i].target);
    double total = 0;
    for (std::size_t t = 0; t < found[i].tokens.size(); ++t) {
      std::vector<double> log_ps;
      for (const auto& forced : of_members) log_ps.push_back(forced[i].token_log_probabilities[t]);
      CHECK(std::abs(found[i].token_log_probabilities[t] - log_mean(log_ps)) < 1e-5);
      total += log_mean(log_ps);
    }
    CHECK(std::abs(found[i].log_probability - total) < 1e-4);
  }
}

TEST_CASE("an ensemble's weights are the mean over the members that attend", "[models][search][ensemble]") {
  const std::vector<Model> models = different_models();
  const auto found = models::force_decode(Ensemble(pointers(models)), tiny_pairs);
  for (std::size_t i = 0; i < tiny_pairs.size(); ++i) {
    Tensor sum;
    double count = 0;
    for (const Model& model : models) {
      if (!attends(*model)) continue;
      const Tensor weights = models::force_decode(*model, tiny_pairs)[i].weights;
      sum = sum.defined() ? sum + weights : weights;
      ++count;
    }
    REQUIRE(count == 2);
    CHECK(mismatch(found[i].weights, sum / count, {1e-5, 0}) == "");
  }
  const std::vector<const models::Seq2Seq*> without{models[1].get(), models[2].get()};
  CHECK_FALSE(models::force_decode(Ensemble(without), tiny_pairs)[0].weights.defined());
}

TEST_CASE("greedy decoding by an ensemble takes the token with the largest mean probability",
          "[models][search][ensemble]") {
  const std::vector<Model> models = different_models();
  const Ensemble ensemble(pointers(models));
  for (const data::Pair& pair : tiny_pairs) {
    const BatchTensors one(data::make_batch({&pair, 1}));
    const models::Decoded output = models::greedy(ensemble, one.source, one.source_lengths, 4)[0];
    for (std::size_t t = 0; t < output.tokens.size(); ++t) {
      std::vector<data::Pair> continuations;
      for (std::int64_t token = data::eos; token < tiny.vocabulary; ++token) {
        continuations.push_back(
            {pair.source, {output.tokens.begin(), output.tokens.begin() + static_cast<std::ptrdiff_t>(t)}});
        continuations.back().target.push_back(token);
      }
      const auto forced = models::force_decode(ensemble, continuations);
      for (const models::Forced& other : forced) {
        CHECK(output.token_log_probabilities[t] >= other.token_log_probabilities[t] - 1e-5);
      }
    }
  }
}

TEST_CASE(
    "every search by an ensemble gives the same results for a batch as one by one, scored as by "
    "force_decode()",
    "[models][search][ensemble]") {
  const std::vector<Model> models = different_models();
  const Ensemble ensemble(pointers(models));
  const auto alone = searches();
  for (std::size_t i = 0; i < alone.size(); ++i) {
    INFO(alone[i].name);
    const auto together = searches()[i].search(ensemble, x.source, x.source_lengths, 7);
    for (std::size_t b = 0; b < tiny_pairs.size(); ++b) {
      const BatchTensors one(data::make_batch({&tiny_pairs[b], 1}));
      const auto found = alone[i].search(ensemble, one.source, one.source_lengths, 7)[0];
      REQUIRE(found.size() == together[b].size());
      for (std::size_t n = 0; n < found.size(); ++n) {
        check_same(together[b][n], found[n]);
        const data::Pair pair{tiny_pairs[b].source, found[n].tokens};
        check_same(found[n], models::force_decode(ensemble, {&pair, 1})[0]);
      }
    }
  }
}

TEST_CASE("decode() and the sizes of an ensemble count every member", "[models][search][ensemble]") {
  const std::vector<Model> models = different_models();
  const Ensemble ensemble(pointers(models));
  CHECK(ensemble.members().size() == models.size());
  std::int64_t parameters = 0;
  for (const Model& model : models) parameters += model->parameter_count();
  CHECK(ensemble.parameter_count() == parameters);
  CHECK(ensemble.is_training());
  for (std::size_t i = 0; i < models.size(); ++i) {
    models[i]->eval();
    CHECK(ensemble.is_training() == (i + 1 < models.size()));
  }
  const std::vector<Ids> sources = {{3, 8, 5, 3}, {6}, {4, 7}};
  const auto found = models::decode(ensemble, sources, models::greedy(), {.max_steps = 5});
  for (std::size_t b = 0; b < sources.size(); ++b) {
    const auto expected = models::greedy(ensemble, gradus::tensor(sources[b], {std::ssize(sources[b]), 1}),
                                         integers({std::ssize(sources[b])}), 5)[0];
    check_same(found[b][0], expected);
  }
}

TEST_CASE("an ensemble needs members with one target vocabulary", "[models][search][ensemble]") {
  CHECK_ERROR(Ensemble({}), "Ensemble: has no members; give at least one model");
  CHECK_ERROR(Ensemble({nullptr}), "Ensemble: a given model is null");
  const Model one = models::make_fixed_context(tiny),
              other = models::make_fixed_context({.vocabulary = 10, .embedding = 5, .hidden = 4});
  CHECK_ERROR(
      models::greedy(Ensemble({one.get(), other.get()}), x.source, x.source_lengths),
      "decode: the ensemble's members have 9 and 10 target tokens; give models with the same vocabularies");
}
