#pragma once

#include <gradus/models/beam_search.hpp>
#include <gradus/models/forced_decoding.hpp>
#include <gradus/models/greedy.hpp>
#include <gradus/models/sample.hpp>
#include <gradus/nn/additive_attention.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "models/luong_decoder.hpp"

/// Models with several kinds of decoders. The parameters are so large that outputs differ between sources.
inline std::vector<Model> decisive_models() {
  std::vector<Model> models = tiny_models();
  models.push_back(Model(
      new gradus::models::Seq2Seq(luong_model(std::make_unique<gradus::nn::AdditiveAttention>(8, 4, 3), 8))));
  for (const Model& model : models) {
    for (gradus::Tensor parameter : model->parameters()) {
      for (float& value : parameter.mutable_values<float>()) value *= 4;
    }
  }
  return models;
}

inline bool attends(const gradus::models::Seq2Seq& model) {
  return gradus::models::force_decode(model, {tiny_pairs.data(), 1})[0].weights.defined();
}

/// Adds `by` to the logit of `token` at every step.
inline void prefer(const gradus::models::Seq2Seq& model, std::int64_t token, float by) {
  for (auto& [name, parameter] : model.named_parameters()) {
    if (name != "decoder.readout.bias") continue;
    parameter.mutable_values<float>()[static_cast<std::size_t>(token)] += by;
  }
}

struct NamedSearch {
  std::string name;
  gradus::models::Search search;
};

inline std::vector<NamedSearch> searches() {
  using namespace gradus::models;
  return {{"greedy", greedy()},
          {"sample", sample({.temperature = 0.9, .top_k = 5, .top_p = 0.95}, gradus::Generator(5))},
          {"beam search", beam_search({.width = 4, .n_best = 3})}};
}

inline std::vector<Ids> tokens_of(const std::vector<gradus::models::Decoded>& found) {
  std::vector<Ids> tokens;
  for (const gradus::models::Decoded& one : found) tokens.push_back(one.tokens);
  return tokens;
}

inline void check_same(const gradus::models::Decoded& actual, const gradus::models::Decoded& expected) {
  CHECK(actual.tokens == expected.tokens);
  CHECK(mismatch(actual.weights, expected.weights, {1e-5, 0}) == "");
  REQUIRE(actual.token_log_probabilities.size() == expected.token_log_probabilities.size());
  for (std::size_t t = 0; t < actual.token_log_probabilities.size(); ++t) {
    CHECK(std::abs(actual.token_log_probabilities[t] - expected.token_log_probabilities[t]) < 1e-4);
  }
  CHECK(std::abs(actual.log_probability - expected.log_probability) < 1e-4);
}

/// The score of equation 14 of Wu et al. 2016, written as in that paper.
inline double score(const gradus::models::Decoded& output, double alpha, double beta) {
  const double lp = std::pow(5 + static_cast<double>(output.tokens.size()), alpha) / std::pow(5 + 1, alpha);
  double cp = 0;
  for (std::int64_t i = 0; beta > 0 && i < output.weights.size(1); ++i) {
    double looked = 0;
    for (std::int64_t j = 0; j < output.weights.size(0); ++j) looked += output.weights[j][i].item();
    cp += std::log(std::min(looked, 1.0));
  }
  return output.log_probability / lp + beta * cp;
}

/// Every target of at most `steps` tokens that ends in EOS.
inline std::vector<Ids> all_targets(std::int64_t steps) {
  std::vector<Ids> ended = {{gradus::data::eos}}, shorter = {{gradus::data::eos}};
  for (std::int64_t step = 1; step < steps; ++step) {
    std::vector<Ids> longer;
    for (const Ids& rest : shorter) {
      for (std::int64_t token = gradus::data::first_symbol; token < tiny.vocabulary; ++token) {
        longer.push_back(rest);
        longer.back().insert(longer.back().begin(), token);
      }
    }
    ended.insert(ended.end(), longer.begin(), longer.end());
    shorter = std::move(longer);
  }
  return ended;
}

/// The targets of all_targets(steps) with their scores, best first.
inline std::vector<gradus::models::Decoded> exhaustive(const gradus::models::Seq2Seq& model,
                                                       const Ids& source, std::int64_t steps, double alpha,
                                                       double beta) {
  std::vector<gradus::data::Pair> pairs;
  for (const Ids& target : all_targets(steps)) pairs.push_back({source, target});
  std::vector<gradus::models::Decoded> outputs;
  for (const gradus::models::Forced& one : gradus::models::force_decode(model, pairs)) {
    outputs.push_back(one);
    outputs.back().score = score(one, alpha, beta);
  }
  std::ranges::stable_sort(outputs, std::greater<>{}, &gradus::models::Decoded::score);
  return outputs;
}
