#pragma once

#include <gradus/data/batches.hpp>
#include <gradus/models/registry.hpp>
#include <gradus/models/trainer.hpp>

#include <memory>
#include <vector>

#include "files/corpus.hpp"
#include "settings/settings.hpp"

namespace gradus::tools {

/// Makes the batches, and converts epochs to steps.
/// @throws Error if training on the pairs does not fit in memory; UsageError if --schedule plateau has no dev
/// pairs, or the warm-up or the pruning do not fit in the steps
std::shared_ptr<data::Batches> make_batches(Settings& settings, const Corpus& corpus,
                                            std::vector<data::Pair> pairs, const Sides& sides,
                                            const models::Registry& registry);

/// The batches as a Trainer takes them, with random speeds of --speeds. The speeds depend only on the seed
/// and the batch's place in the stream. To set the state of other pairs or batches throws Error.
models::BatchStream stream_of(const std::shared_ptr<data::Batches>& batches, const Settings& settings);

/// @throws Error that the resumed run was trained on other pairs or batches
[[noreturn]] void refuse_other_data(const Settings& settings);

}  // namespace gradus::tools
