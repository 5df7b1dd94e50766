#pragma once

#include "settings/settings.hpp"

namespace gradus::tools {

/// @throws UsageError unless exactly one source of training data is given; for a source file without its
/// target file or vice versa, byte-pair encoding of characters, or a minimum above its maximum.
void check_data(const DataSettings& settings);

/// check_data(), and the other settings of `gradus train`.
/// @throws UsageError also if warm-up covers all steps, or all embeddings are tied without a shared
/// vocabulary.
void check_settings(const Settings& settings);

}  // namespace gradus::tools
