#pragma once

#include "settings/effects.hpp"
#include "settings/settings.hpp"

namespace gradus::tools {

/// The options of a model that have an effect only with others, for `gradus train` and `gradus gradcheck`. If
/// the registry states only the name of an attention or a decoder, it may read every option.
Effects model_effects(const models::ModelOptions& model, const models::Registry& registry);

/// The same for all settings of `gradus train`. @param resumes with --resume
Effects settings_effects(const Settings& settings, const models::Registry& registry, bool resumes);

/// False for decoders that are known not to attend.
bool may_attend(const models::ModelOptions& model, const models::Registry& registry);

}  // namespace gradus::tools
