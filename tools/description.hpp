#pragma once

#include <gradus/models/checkpoint.hpp>
#include <gradus/models/model.hpp>
#include <gradus/nn/safetensors.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "corpus.hpp"
#include "saved_model.hpp"
#include "settings.hpp"

namespace gradus::tools {

/// What a safetensors file says of itself.
struct Description {
  std::filesystem::path path;
  nn::Safetensors file;
  std::optional<Settings> settings;        ///< of a checkpoint of `gradus train`,
  std::optional<Sides> sides;              ///< which has these too
  std::unique_ptr<models::Seq2Seq> model;  ///< of the settings, with values newly drawn
  std::string no_model;                    ///< why there is none though there are settings

  bool is_checkpoint() const { return models::is_checkpoint(file.metadata); }
};

/// @param path as checkpoint_of takes it; any safetensors file.
/// @throws Error when it is none, or what stands in it as settings or vocabularies is damaged.
Description describe(const std::filesystem::path& path, const models::Registry& registry);

/// For people: what made it, how far it was trained, on what, and the tree of modules. Of a file that is no
/// checkpoint of `gradus train`, what there is of that, and its tensors.
std::string text_of(const Description& description);

/// A line a tensor: name, dtype, shape.
std::string tensors_of(const Description& description);

/// For programs: path, checkpoint (whether it is one), metadata (but not the vocabularies' texts), tensors
/// (name, dtype, shape), and of a checkpoint step, best, vocabularies and parameters, each null where it is
/// not known.
std::string json_of(const Description& description);

}  // namespace gradus::tools
