#pragma once

#include <gradus/data/tokens.hpp>

#include <span>

#include "settings.hpp"

/// Settings that ask for more memory than there is, refused before any is taken. What is counted is the least
/// that the work takes, so that nothing is refused which could be done.
namespace gradus::tools {

/// @throws Error for a task whose examples do not fit.
void check_task_fits(const DataSettings& settings);

/// @param pairs to train on
/// @throws Error for a model, or batches of these pairs, that cannot be trained.
void check_training_fits(const Settings& settings, const models::Vocabularies& vocabularies,
                         std::span<const data::Pair> pairs);

}  // namespace gradus::tools
