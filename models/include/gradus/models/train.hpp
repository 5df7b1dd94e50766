#pragma once

#include <gradus/data/batch.hpp>
#include <gradus/models/seq2seq.hpp>

#include <cstdint>
#include <functional>
#include <vector>

namespace gradus::models {

struct TrainOptions {
  std::int64_t steps = 1000;
  double learning_rate = 3e-3;
  double final_learning_rate = 3e-4;  ///< reached at the last step, in a straight line
  double clip_norm = 1.0;             ///< of all gradients together
};

/// What is known after a step.
struct TrainStep {
  std::int64_t step;     ///< from 1
  double loss;           ///< of this step's batch, in nats a token, before the update
  double gradient_norm;  ///< before clipping
  std::int64_t tokens;   ///< real target tokens of this step's batch
};

/// Trains by Adam with teacher forcing: draws a batch, takes the gradient of its loss, clips it, and updates.
/// Calls `on_step` after each. Returns the loss at every step.
/// @throws Error naming the step when a loss or a gradient is not finite; the parameters are then those
/// before it.
std::vector<double> train(Seq2Seq& model, const std::function<data::Batch()>& next_batch,
                          const TrainOptions& options,
                          const std::function<void(const TrainStep&)>& on_step = {});

}  // namespace gradus::models
