#pragma once

#include <gradus/models/trainer.hpp>
#include <gradus/nn/schedule.hpp>

namespace gradus::models {

/// The warm-up and schedule named in the options, over steps t = 0 … options.steps − 1.
/// @throws Error for an unknown name, a factor out of range, or a warm-up as long as the training.
nn::Schedule make_schedule(const TrainerOptions& options);

}  // namespace gradus::models
