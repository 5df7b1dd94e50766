#pragma once

#include <gradus/compress/straight_through.hpp>
#include <gradus/models/checkpoint.hpp>
#include <gradus/models/trainer.hpp>

#include <string>
#include <vector>

#include "files/corpus.hpp"
#include "settings/settings.hpp"

/// The checkpoint of a training run: the state of the trainer, the exact weights of --int8, the settings, the
/// vocabularies, and fingerprints of the dev pairs and of the teacher.
namespace gradus::tools {

/// @param rounding of a run with --int8; otherwise null
/// @param teacher the fingerprint of the teacher's weights; empty without --teacher
models::Checkpoint checkpoint_of(const models::Trainer& trainer, const compress::RoundedTraining* rounding,
                                 const Settings& settings, const Sides& sides,
                                 const std::vector<data::SentencePair>& dev, const std::string& teacher);

/// Refuses parameters that are not finite, so that the last good checkpoint stays. An update can make
/// parameters infinite even if loss and gradient were finite.
/// @param steps the number of updates, for the message
/// @throws Error for a weight, or a state of the update rule, that is NaN or infinite
void check_finite(const models::Checkpoint& checkpoint, std::int64_t steps);

/// Loads the state into the trainer of a resumed run.
/// @param now the settings of the resumed run
/// @throws Error if the state does not fit. The message names the run's folder, or --optimiser if that has
/// changed. Also throws if the run was trained on other pairs, batches or vocabularies.
void load_state(models::Trainer& trainer, const models::Checkpoint& checkpoint, const Settings& now,
                const Sides& sides);

/// The exact values of the weights that --int8 rounded; empty for a run without --int8.
NamedTensors exact_weights(const models::Checkpoint& checkpoint);

/// True if two checkpoints have the same vocabularies and byte-pair encodings. Comparing the ids of the pairs
/// is not enough: the ids stay equal if one word is replaced by another everywhere.
bool same_vocabularies(const nn::Metadata& a, const nn::Metadata& b);

/// A hash of the texts of the pairs.
std::string fingerprint(const std::vector<data::SentencePair>& pairs);

/// True if the run had other dev pairs. False for checkpoints of old versions, which have no fingerprint.
bool has_other_dev_pairs(const models::Checkpoint& checkpoint, const std::vector<data::SentencePair>& dev);

/// True if the run had a teacher with another fingerprint than `teacher`. False if `teacher` is empty, and
/// for checkpoints of old versions.
bool has_other_teacher(const models::Checkpoint& checkpoint, const std::string& teacher);

}  // namespace gradus::tools
