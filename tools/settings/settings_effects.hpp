#pragma once

#include "settings/effects.hpp"
#include "settings/settings.hpp"

namespace gradus::tools {

/// The model options that have an effect only with other options, for `gradus train` and `gradus gradcheck`.
/// If the registry does not state a decoder's SourceContext, the decoder counts as having attention, and its
/// default readout as a maxout. If the registry does not state an attention's number of weights, --energy
/// counts as having an effect.
Effects model_effects(const models::ModelOptions& model, const models::Registry& registry);

/// Like model_effects(), for all settings of `gradus train`. @param resumes true with --resume
Effects settings_effects(const Settings& settings, const models::Registry& registry, bool resumes);

/// False only if the registry knows that the model's decoder has no attention.
bool may_attend(const models::ModelOptions& model, const models::Registry& registry);

}  // namespace gradus::tools
