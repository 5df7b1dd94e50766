#pragma once

#include "settings/settings.hpp"

namespace gradus::tools {

/// @throws UsageError unless exactly one kind of training data is given. Also for
///   - a source file without a target file, or a target file without a source file,
///   - a source or target file together with a file of pairs,
///   - byte-pair encoding together with the token unit `character` or with a SentencePiece model,
///   - a vocabulary that a SentencePiece model shares with another tokeniser,
///   - `--frames` without files of training pairs, or with options that need a source of text,
///   - two inputs from the same stream,
///   - dev and test parts that take all pairs,
///   - a minimum above its maximum.
void check_data(const DataSettings& settings);

/// @throws UsageError for a bridge that the encoder or the decoder does not support.
void check_model(const models::ModelOptions& model, const models::Registry& registry);

/// @throws UsageError if the warm-up takes all steps.
void check_warm_up(const Settings& settings);

/// @throws UsageError if `--prune` is given with `--int8`, if pruning does not end after it begins, or if it
/// ends after the last step.
void check_pruning(const Settings& settings);

/// Calls check_data() and check_model(), and checks the other settings of `gradus train`. Calls
/// check_warm_up() and check_pruning() unless --epochs sets the number of steps.
/// @throws UsageError if one of these functions throws, or if other options contradict each other or have
/// unusable values: for example, all embeddings are tied without a shared vocabulary, the number of shards is
/// not a power of two, or this processor does not support the precision.
/// @param resumes true with --resume
void check_settings(const Settings& settings, const models::Registry& registry, bool resumes);

}  // namespace gradus::tools
