#pragma once

#include "settings.hpp"

namespace gradus::tools {

/// @throws UsageError when nothing or several things to learn are named, half a pair of files, byte-pair
/// encoding of characters, or least and most of a length or a year with nothing between them.
void check_data(const DataSettings& settings);

/// The same of all that `gradus train` takes.
/// @throws UsageError also for a warm-up that takes every step, and for languages that share their embeddings
/// but not their vocabulary.
void check_settings(const Settings& settings);

}  // namespace gradus::tools
