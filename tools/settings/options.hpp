#pragma once

#include <gradus/models/registry.hpp>

#include "settings/settings.hpp"

namespace CLI {
class App;  // forward declaration: CLI11's header is slow to compile
}

/// The options of `gradus train`: names, help, ranges and groups. Each setting becomes an option whose
/// default is the setting's current value. Configuration files and checkpoints use the same names.
namespace gradus::tools {

void add_data_options(CLI::App& app, DataSettings& data);
void add_model_options(CLI::App& app, models::ModelOptions& model);
void add_training_options(CLI::App& app, Settings& settings);
void add_compression_options(CLI::App& app, Settings& settings);
/// Adds the options of all settings.
void add_options(CLI::App& app, Settings& settings);

/// Restricts --decoder and --attention to names in the registry.
void allow_only(CLI::App& app, const models::Registry& registry);

}  // namespace gradus::tools
