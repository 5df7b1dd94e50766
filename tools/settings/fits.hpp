#pragma once

#include <gradus/data/tokens.hpp>

#include <cstdint>
#include <span>

#include "settings/settings.hpp"

/// Checks before allocating that enough memory is free. The estimate is a lower bound on the needed memory.
/// So settings that fit into the free memory are never refused.
namespace gradus::tools {

/// @throws Error if the examples of a task other than dates need more memory than is free.
void check_task_fits(const DataSettings& settings);

/// @param pairs training pairs
/// @throws Error if model and batch need too much memory, or if a pair has more tokens than --batch-tokens.
void check_training_fits(const Settings& settings, const models::Vocabularies& vocabularies,
                         std::span<const data::Pair> pairs, const models::Registry& registry);

/// @throws Error if the model and its gradients, in double precision, need more memory than is free.
void check_gradcheck_fits(const models::ModelOptions& model, const models::Vocabularies& vocabularies,
                          const models::Registry& registry);

/// @param vocabulary the number of target tokens
/// @param option the option that sets the width
/// @throws UsageError if a beam search of one sentence needs more memory than is free. The message states the
/// largest width for which the memory is sufficient.
void check_beam_fits(std::int64_t width, std::int64_t vocabulary, const char* option = "--beam");

}  // namespace gradus::tools
