#pragma once

#include <gradus/models/trainer.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "models/forgetful_decoder.hpp"
#include "models/helpers.hpp"

/// Options for training by shards, with scheduled sampling. train() adds dropout.
inline gradus::models::TrainerOptions sharded(std::int64_t shards) {
  return {.steps = 4,
          .optimiser = "adamw",
          .learning_rate = 0.02,
          .accumulate = 2,
          .shards = shards,
          .loss = {.label_smoothing = 0.1, .attention_entropy = 0.1, .sampling = 0.6}};
}

/// The results of a training run. `numbers` are the loss, cross-entropy, gradient norm and token count of
/// each step, followed by the generator's final position.
struct Result {
  std::vector<std::vector<float>> weights;
  std::vector<double> numbers;
  bool operator==(const Result&) const = default;
};

inline Result train(const gradus::models::TrainerOptions& options, gradus::models::Processes processes = {},
                    double dropout = 0.3) {
  gradus::seed(7);
  const Model model = forgetful_model(dropout, 24);
  gradus::models::Trainer trainer(*model, {.next = reversals(3)}, options, std::move(processes));
  Result result;
  while (!trainer.finished()) {
    const gradus::models::TrainStep step = trainer.step();
    result.numbers.insert(result.numbers.end(), {step.loss, step.cross_entropy, step.gradient_norm,
                                                 static_cast<double>(step.tokens)});
  }
  for (const auto& [name, tensor] : model->state_dict()) result.weights.push_back(tensor.to_vector<float>());
  result.numbers.push_back(static_cast<double>(gradus::default_generator().state().position));
  return result;
}

inline double largest_difference(const Result& a, const Result& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.weights.size(); ++i) {
    for (std::size_t j = 0; j < a.weights[i].size(); ++j) {
      largest = std::max(largest, static_cast<double>(std::abs(a.weights[i][j] - b.weights[i][j])));
    }
  }
  return largest;
}
