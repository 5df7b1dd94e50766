#pragma once

#include <gradus/models/checkpoint.hpp>
#include <gradus/models/model.hpp>

#include <filesystem>
#include <memory>
#include <string_view>

#include "files/corpus.hpp"
#include "settings/settings.hpp"

namespace gradus::tools {

/// The contents of a checkpoint of `gradus train`: a model with its settings and vocabularies.
struct SavedModel {
  Settings settings;
  Sides sides;
  std::unique_ptr<models::Seq2Seq> model;  ///< in eval mode
  models::Checkpoint checkpoint;
};

/// A checkpoint's metadata: "settings" as TOML, "source.vocabulary", "target.vocabulary" and, if byte-pair
/// encoding is used, "source.bpe" and "target.bpe".
nn::Metadata metadata_of(const Settings& settings, const Sides& sides);

/// The vocabularies and byte-pair encodings in a checkpoint's metadata, with tokenisers from the settings.
/// @param path the checkpoint's path, for messages
/// @throws Error if a vocabulary is missing or damaged.
Sides sides_of(const std::filesystem::path& path, const nn::Metadata& metadata, const DataSettings& data);

/// The settings in a checkpoint's metadata.
/// @param path the checkpoint's path, for messages
/// @throws Error if there are none.
Settings settings_of(const std::filesystem::path& path, const nn::Metadata& metadata);

/// A model with these settings and random parameters.
std::unique_ptr<models::Seq2Seq> make_model(const Settings& settings, const Sides& sides,
                                            const models::Registry& registry);

/// True if the folder holds a run of `gradus train`.
bool holds_run(const std::filesystem::path& folder);

/// The path itself; for a folder, its best checkpoint, or else its last.
/// @throws Error for a folder with neither.
std::filesystem::path checkpoint_of(const std::filesystem::path& path);

/// @param path a checkpoint or folder, see checkpoint_of()
/// @throws Error naming the path if it is not a checkpoint of `gradus train`.
SavedModel load_saved_model(const std::filesystem::path& path, const models::Registry& registry);

/// @throws Error for a model without attention.
void check_attends(std::string_view who, const SavedModel& saved);

}  // namespace gradus::tools
