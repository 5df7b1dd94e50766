#pragma once

#include <gradus/data/tokens.hpp>

#include <cstdint>
#include <span>

#include "settings/settings.hpp"

/// Checks before allocating that enough memory is free. The estimated need is a lower bound, so that settings
/// that fit are never refused.
namespace gradus::tools {

/// @throws Error if a task's examples do not fit.
void check_task_fits(const DataSettings& settings);

/// @param pairs training pairs
/// @throws Error if the model and a batch of these pairs do not fit, or a pair does not fit in a batch.
void check_training_fits(const Settings& settings, const models::Vocabularies& vocabularies,
                         std::span<const data::Pair> pairs, const models::Registry& registry);

/// @throws Error if the model and its gradients in double precision do not fit.
void check_gradcheck_fits(const models::ModelOptions& model, const models::Vocabularies& vocabularies,
                          const models::Registry& registry);

/// @param vocabulary the number of target tokens
/// @throws UsageError if a beam search of one sentence does not fit. The message states the largest width
/// that fits.
void check_beam_fits(std::int64_t width, std::int64_t vocabulary);

}  // namespace gradus::tools
