#pragma once

#include <gradus/nn/module.hpp>

#include <cstdint>
#include <filesystem>

#include "session.hpp"

namespace gradus::web {

/// A model that `gradus train` or Session::save() wrote.
struct Opened {
  Settings settings;         ///< its task and its model; otherwise the defaults
  NamedTensors parameters;   ///< for Session::load()
  std::int64_t updates = 0;  ///< made by `gradus train`; 0 if the file does not say
};

/// Reads a checkpoint. The page gives the tokens of a task other ids than `gradus train`, so that the rows of
/// the embeddings and of the readout are put into its order. A token that the run never met gets the
/// embedding of <unk>, and a bias that keeps the model from writing it.
/// @throws Error as models::load_checkpoint(), and for a model that the page cannot represent, naming each
/// setting with its value and the supported ones.
Opened open_run(const std::filesystem::path& path);

}  // namespace gradus::web
