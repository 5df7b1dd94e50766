#pragma once

#include <gradus/models/registry.hpp>
#include <gradus/models/seq2seq.hpp>

#include <string>

#include "files/corpus.hpp"
#include "settings/settings.hpp"

namespace gradus::tools {

/// Copies the weights of `--init-from`, if given, into the model. Returns a note if the run does not keep the
/// zeros of a pruned model, otherwise an empty string.
/// @throws Error if load_saved_model(), check_not_compressed() or check_same_tokens() throws, or if a
/// weight's name or shape differs between the two models.
std::string load_initial_weights(const Settings& settings, const Sides& sides, models::Seq2Seq& model,
                                 const models::Registry& registry);

}  // namespace gradus::tools
