#pragma once

#include <gradus/data/batch.hpp>
#include <gradus/data/reversal.hpp>
#include <gradus/models/loss.hpp>
#include <gradus/models/seq2seq.hpp>
#include <gradus/models/train.hpp>

#include <functional>
#include <memory>
#include <numeric>
#include <vector>

#include "nn/helpers.hpp"

/// Sizes of small models. All sizes differ.
inline constexpr gradus::models::ModelSizes tiny{.vocabulary = 9, .embedding = 5, .hidden = 4, .energy = 3};

/// Pairs. All source lengths differ, and all target lengths differ.
inline const std::vector<gradus::data::Pair> tiny_pairs = {
    {{3, 8, 5, 3}, {7, 4, 2}}, {{6}, {8, 8, 3, 5, 6, 2}}, {{4, 7}, {2}}};

/// The tensors of a batch.
struct BatchTensors {
  gradus::Tensor source, source_lengths, target_in, target_out, target_lengths;

  explicit BatchTensors(const gradus::data::Batch& batch)
      : source(gradus::tensor(batch.source, {batch.source_steps, batch.size})),
        source_lengths(integers(batch.source_lengths)),
        target_in(gradus::tensor(batch.target_in, {batch.target_steps, batch.size})),
        target_out(gradus::tensor(batch.target_out, {batch.target_steps, batch.size})),
        target_lengths(integers(batch.target_lengths)) {}
};

inline gradus::data::Batch tiny_batch() { return gradus::data::make_batch(tiny_pairs); }

using Model = std::unique_ptr<gradus::models::Seq2Seq>;

/// Small models: Bahdanau's, and two with a fixed context. Sets the seed, so that their weights are always
/// the same.
inline std::vector<Model> tiny_models() {
  gradus::seed(1);
  std::vector<Model> models;
  models.push_back(gradus::models::make_bahdanau(tiny));
  models.push_back(gradus::models::make_fixed_context(tiny));
  models.push_back(gradus::models::make_fixed_context(tiny, false));
  return models;
}

/// Checks that a batch's loss is the token-weighted mean of its pairs' losses. The model must be in f64.
inline void check_loss_is_of_pairs(const gradus::models::Seq2Seq& model) {
  const gradus::data::Batch batch = tiny_batch();
  double total = 0;
  for (const gradus::data::Pair& pair : tiny_pairs) {
    total += gradus::models::loss(model, gradus::data::make_batch({&pair, 1})).total.item() *
             static_cast<double>(pair.target.size());
  }
  CHECK(std::abs(gradus::models::loss(model, batch).total.item() -
                 total / static_cast<double>(batch.target_tokens())) < 1e-13);
}

/// Returns a function that makes batches of a small task, endlessly. All ids are below tiny.vocabulary.
inline std::function<gradus::data::Batch()> reversals(std::uint64_t seed) {
  return [generator = gradus::Generator(seed), task = gradus::data::Reversal(6, 2, 4)]() mutable {
    std::vector<gradus::data::Pair> pairs;
    for (int i = 0; i < 8; ++i) {
      pairs.push_back(task.sample_training([&](std::uint64_t n) { return generator.below(n); }));
    }
    return gradus::data::make_batch(pairs);
  };
}

inline void check_loss_falls(gradus::models::Seq2Seq& model) {
  const auto losses = gradus::models::train(model, reversals(1), {.steps = 100, .learning_rate = 0.01});
  const auto mean = [](auto begin) { return std::accumulate(begin, begin + 10, 0.0) / 10; };
  CHECK(mean(losses.end() - 10) < 0.8 * mean(losses.begin()));
}
