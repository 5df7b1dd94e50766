#pragma once

#include "settings/settings.hpp"

namespace gradus::tools {

/// @throws UsageError unless exactly one source of training data is given; for a source file without its
/// target file or vice versa, a file of pairs together with either, byte-pair encoding of characters, a
/// vocabulary shared by a SentencePiece model with another tokeniser, parts of 100 % or more, or a minimum
/// above its maximum.
void check_data(const DataSettings& settings);

/// @throws UsageError for a bridge that the encoder or the decoder does not support.
void check_model(const models::ModelOptions& model, const models::Registry& registry);

/// @throws UsageError if warm-up covers all steps.
void check_warm_up(const Settings& settings);

/// @throws UsageError if pruning ends before it begins, or after the last step.
void check_pruning(const Settings& settings);

/// check_data(), check_model(), and the other settings of `gradus train`.
/// @throws UsageError also as check_warm_up() and check_pruning() unless --epochs sets the number of steps,
/// if all embeddings are tied without a shared vocabulary, an exponential schedule ends at 0, or the loss
/// includes the attention entropy of a decoder without attention.
void check_settings(const Settings& settings, const models::Registry& registry);

}  // namespace gradus::tools
