#pragma once

#include <gradus/nn/module.hpp>

#include <cstdint>
#include <filesystem>

#include "session.hpp"

namespace gradus::web {

/// A model that `gradus train` or Session::save() wrote.
struct Opened {
  Settings settings;  ///< the task and the model of the file; defaults for the other settings
  NamedTensors
      parameters;  ///< for Session::load(); none if the task is a phrase set and make_phrases is null
  std::int64_t updates = 0;  ///< made by `gradus train`; 0 if the file does not say
};

/// Reads a checkpoint. The page and `gradus train` give the tokens of a task different ids, so this function
/// puts the rows of the embeddings and of the readout into the page's order. A token that the run does not
/// have gets the embedding of <unk>, and a bias that keeps the model from writing the token.
/// @throws Error as models::load_checkpoint() does, if the file is damaged or has no settings or
/// vocabularies, or if the page cannot represent the model. The message names each unsupported setting with
/// its value and the supported values.
Opened open_run(const std::filesystem::path& path);

}  // namespace gradus::web
