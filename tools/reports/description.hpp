#pragma once

#include <gradus/models/checkpoint.hpp>
#include <gradus/models/model.hpp>
#include <gradus/nn/safetensors.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "files/saved_model.hpp"

namespace gradus::tools {

/// The contents of a safetensors file.
struct Description {
  std::filesystem::path path;
  nn::Safetensors file;
  std::optional<SavedModel> saved;  ///< set for a checkpoint of `gradus train`

  bool is_checkpoint() const { return models::is_checkpoint(file.metadata); }
};

/// @param path any safetensors file, or a folder, see checkpoint_of()
/// @throws Error if the file is not safetensors, or if models::check_intact() or load_saved_model() throws.
Description describe(const std::filesystem::path& path, const models::Registry& registry);

/// Describes only the file, after checks of its format. Works for models that this program cannot build, too.
Description describe_file(const std::filesystem::path& path);

/// The description for people:
///   - of a checkpoint with settings: version, progress, data and the module tree,
///   - of a checkpoint without settings: version, progress and tensors,
///   - of another file: metadata and tensors.
std::string text_of(const Description& description);

/// One line per tensor: name, dtype, shape.
std::string tensors_of(const Description& description);

/// The description as JSON: path, checkpoint (true or false), metadata (without vocabularies, byte-pair
/// encodings and SentencePiece models), tensors (name, dtype, shape), step, best, vocabulary sizes and
/// parameter count. Unknown values are null.
std::string json_of(const Description& description);

}  // namespace gradus::tools
