#pragma once

#include "settings/settings.hpp"

namespace gradus::tools {

/// @throws UsageError unless exactly one source of training data is given; for a source file without its
/// target file or vice versa, byte-pair encoding of characters, or a minimum above its maximum.
void check_data(const DataSettings& settings);

/// @throws UsageError for a bridge that the encoder or the decoder cannot have.
void check_model(const models::ModelOptions& model);

/// check_data(), check_model(), and the other settings of `gradus train`.
/// @throws UsageError also if warm-up covers all steps, all embeddings are tied without a shared vocabulary,
/// an exponential schedule is to end at 0, or the attention's entropy is weighted without attention.
void check_settings(const Settings& settings);

/// @throws UsageError for an option of a new training that has no effect beside the others: a task's without
/// the task, --patience without evaluations, --attention of a decoder without attention.
void check_effects(const Settings& settings);

}  // namespace gradus::tools
