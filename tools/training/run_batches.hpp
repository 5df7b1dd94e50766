#pragma once

#include <gradus/data/batches.hpp>
#include <gradus/models/registry.hpp>
#include <gradus/models/trainer.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "files/corpus.hpp"
#include "settings/settings.hpp"

namespace gradus::tools {

/// Makes the batches, and converts epochs to steps.
/// @throws Error if check_training_fits() throws; UsageError if --schedule plateau has no dev pairs, or if
/// the warm-up or the pruning does not fit in the steps of --epochs
std::shared_ptr<data::Batches> make_batches(Settings& settings, const Corpus& corpus,
                                            std::vector<data::Pair> pairs, const Sides& sides,
                                            const models::Registry& registry);

/// The batches as a Trainer takes them, at random speeds from --min-speed to --max-speed. The speeds depend
/// only on the seed and the batch's place in the stream. set_state() throws Error for a state of other pairs
/// or batches.
models::BatchStream stream_of(const std::shared_ptr<data::Batches>& batches, const Settings& settings);

/// The fingerprint of the batches in a checkpoint's state of stream_of(); std::nullopt without such a state.
std::optional<std::int64_t> fingerprint_of_batches(const NamedTensors& checkpoint);

/// @throws Error that the resumed run was trained on other pairs or batches
[[noreturn]] void refuse_other_data(const Settings& settings);

}  // namespace gradus::tools
