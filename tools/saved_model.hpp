#pragma once

#include <gradus/models/checkpoint.hpp>
#include <gradus/models/model.hpp>

#include <filesystem>
#include <memory>
#include <string_view>

#include "corpus.hpp"
#include "settings.hpp"

namespace gradus::tools {

/// A model with all that it takes to use it: what a checkpoint of `gradus train` holds.
struct SavedModel {
  Settings settings;
  Sides sides;
  std::unique_ptr<models::Seq2Seq> model;  ///< in eval mode
  models::Checkpoint checkpoint;
};

/// What the command adds to a checkpoint: "settings" as TOML, "source.vocabulary", "target.vocabulary" and,
/// where there are any, "source.bpe" and "target.bpe".
nn::Metadata metadata_of(const Settings& settings, const Sides& sides);

/// The vocabularies and byte-pair encodings in a checkpoint's metadata, with tokenisers as the settings say.
/// @param path of the checkpoint, for messages
/// @throws Error when a vocabulary is missing or damaged.
Sides sides_of(const std::filesystem::path& path, const nn::Metadata& metadata, const DataSettings& data);

/// The settings that `gradus train` put into a checkpoint.
/// @param path of the checkpoint, for the message
/// @throws Error when there are none.
Settings settings_of(const std::filesystem::path& path, const nn::Metadata& metadata);

/// A model of these settings, with values newly drawn.
std::unique_ptr<models::Seq2Seq> make_model(const Settings& settings, const Sides& sides,
                                            const models::Registry& registry);

/// Whether a run of `gradus train` is in the folder.
bool holds_run(const std::filesystem::path& folder);

/// The path, or where that is the folder of a run, its best checkpoint, or else its last.
/// @throws Error for a folder that has neither.
std::filesystem::path checkpoint_of(const std::filesystem::path& path);

/// @param path as checkpoint_of takes it.
/// @throws Error naming the path when it is no checkpoint of this command.
SavedModel load_saved_model(const std::filesystem::path& path, const models::Registry& registry);

/// @throws Error for a model without attention, which can show no alignments.
void check_attends(std::string_view who, const SavedModel& saved);

}  // namespace gradus::tools
