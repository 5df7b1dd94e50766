#pragma once

#include <filesystem>
#include <optional>
#include <span>

#include "files/corpus.hpp"
#include "files/saved_model.hpp"
#include "settings/settings.hpp"

namespace gradus::tools {

/// The folder in which `gradus train` was started when it made this run's folder, according to the relative
/// --out in settings.toml. For example, if /texts/out/run has out="out/run", the result is /texts.
/// std::nullopt if --out was absolute, or the folder has been renamed.
std::optional<std::filesystem::path> start_of_run(const std::filesystem::path& folder);

/// make_sides() of a run that resumes: the SentencePiece models are those in its checkpoint, unless the
/// settings name others.
Sides make_run_sides(const Settings& settings, const Origin& run, std::span<const data::SentencePair> train);

/// read_corpus() of a model's settings, from any folder: a relative path of the data that does not exist is
/// looked up from start_of_run().
/// @param folder the folder of the checkpoint
/// @throws Error as read_corpus(), saying what a missing path was relative to, and if the text was a pipe or
/// standard input.
Corpus read_run_corpus(const Settings& settings, const std::filesystem::path& folder);

/// The same for a run that resumes, whose settings may name a new pipe.
/// @throws Error as read_run_corpus(), except that a pipe may still exist.
Corpus read_resumed_corpus(const Settings& settings, const std::filesystem::path& folder);

/// Returns the path, or the same path below `start` if it is relative and exists only there.
std::filesystem::path found_from(const std::filesystem::path& path,
                                 const std::optional<std::filesystem::path>& start);

}  // namespace gradus::tools
