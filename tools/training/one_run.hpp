#pragma once

#include <gradus/models/checkpoint.hpp>
#include <gradus/models/model.hpp>

#include <filesystem>
#include <string>

/// Recognises a folder in which files of two runs were mixed.
namespace gradus::tools {

/// Compares the other checkpoints in the folder with the one to resume. Model options, vocabularies and
/// training batches never change within a run. So the checkpoints of one run agree in them, even if the run
/// was killed or resumed with other options. Ignores files that cannot be read, and models that another
/// command wrote.
/// @param path the path of the checkpoint to resume
/// @throws Error naming a file of another run, and what differs
void check_one_run(const std::filesystem::path& path, const models::Checkpoint& resumed);

/// A note if the folder's settings.toml describes another model than the run's; otherwise an empty string.
/// The difference is not an error: the file may have been edited, and a resumed run replaces it.
std::string note_of_settings(const std::filesystem::path& folder, const models::ModelOptions& model);

}  // namespace gradus::tools
