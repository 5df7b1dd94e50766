#pragma once

#include <gradus/models/registry.hpp>
#include <gradus/models/seq2seq.hpp>

#include "files/corpus.hpp"
#include "settings/settings.hpp"

namespace gradus::tools {

/// Copies the weights of `--init-from`, if given, into the model.
/// @throws Error if load_saved_model(), check_not_compressed() or check_same_tokens() throws, or if a
/// weight's name or shape differs between the two models.
void load_initial_weights(const Settings& settings, const Sides& sides, models::Seq2Seq& model,
                          const models::Registry& registry);

}  // namespace gradus::tools
