#pragma once

#include <filesystem>
#include <optional>
#include <span>

#include "files/corpus.hpp"
#include "files/saved_model.hpp"
#include "settings/settings.hpp"

namespace gradus::tools {

/// The folder from which `gradus train` was started when it created this run. Derived from the relative --out
/// in settings.toml: if /texts/out/run has out="out/run", the result is /texts. std::nullopt if --out was
/// absolute, if the run's folder has been renamed, or if settings.toml is missing or wrong.
std::optional<std::filesystem::path> start_of_run(const std::filesystem::path& folder);

/// These sides with the vocabularies of a model, wherever the model splits text alike and knows all tokens.
/// The ids of a run's tokens depend on how often they occur, so the ids of the model may be others. If
/// --shared-vocabulary, --min-count or --words differ, returns the same sides.
/// @param model the sides of the model
/// @param of_model the settings of the model's data
/// @param now the settings of this run's data
Sides with_vocabularies_of(const Sides& model, const DataSettings& of_model, Sides sides,
                           const DataSettings& now);

/// make_sides() for a resumed run, with_vocabularies_of() its checkpoint. Takes the SentencePiece models from
/// the checkpoint, too, unless the settings name different ones.
Sides make_run_sides(const Settings& settings, const Origin& run, std::span<const data::SentencePair> train);

/// read_corpus() for a saved model's settings. A relative path that does not exist is looked up below
/// start_of_run(), so that the command works from any folder.
/// @param checkpoint the path of the checkpoint with the settings
/// @throws Error if read_corpus() throws. If a file is missing, the message says to which folder its path was
/// relative. Also throws if the text was a pipe or standard input, or if the settings are wrong.
Corpus read_run_corpus(const Settings& settings, const std::filesystem::path& checkpoint);

/// Like read_run_corpus(), for a resumed run. Its settings may name standard input or a new pipe.
/// @throws Error as read_run_corpus() does, but not for standard input, and not for a pipe that exists.
Corpus read_resumed_corpus(const Settings& settings, const std::filesystem::path& folder);

/// Returns the path, or the same path below `start` if the path is relative and exists only there.
std::filesystem::path found_from(const std::filesystem::path& path,
                                 const std::optional<std::filesystem::path>& start);

}  // namespace gradus::tools
