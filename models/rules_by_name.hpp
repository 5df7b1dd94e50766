#pragma once

#include <gradus/models/trainer.hpp>
#include <gradus/nn/optimiser.hpp>
#include <gradus/nn/schedule.hpp>

#include <memory>
#include <vector>

namespace gradus::models {

/// The optimiser that the options name, for all parameters. @throws Error for a name that there is not, and
/// a learning rate out of range.
std::unique_ptr<nn::Optimiser> make_optimiser(const TrainerOptions& options,
                                              const std::vector<Tensor>& parameters);

/// The warm-up and the schedule that they name, over steps t = 0 … options.steps − 1.
/// @throws Error for a name that there is not, a factor out of range, or a warm-up without an end.
nn::Schedule make_schedule(const TrainerOptions& options);

}  // namespace gradus::models
