#pragma once

#include <gradus/models/trainer.hpp>
#include <gradus/nn/optimiser.hpp>
#include <gradus/nn/schedule.hpp>

#include <memory>
#include <vector>

namespace gradus::models {

/// The optimiser named in the options, for all parameters. @throws Error for an unknown name or a learning
/// rate out of range.
std::unique_ptr<nn::Optimiser> make_optimiser(const TrainerOptions& options,
                                              const std::vector<Tensor>& parameters);

/// The warm-up and schedule named in the options, over steps t = 0 … options.steps − 1.
/// @throws Error for an unknown name, a factor out of range, or a warm-up as long as the training.
nn::Schedule make_schedule(const TrainerOptions& options);

}  // namespace gradus::models
