#pragma once

#include <gradus/models/trainer.hpp>

#include <functional>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::models {

/// Runs all training steps, calls `on_step` after each step, and returns the loss of every step. Leaves the
/// model in eval mode, even after an exception.
/// @throws Error as Trainer does.
std::vector<double> train(Seq2Seq& model, const std::function<data::Batch()>& next_batch,
                          const TrainerOptions& options,
                          const std::function<void(const TrainStep&)>& on_step = {});

}  // namespace gradus::models
#pragma GCC visibility pop
