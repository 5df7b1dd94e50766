#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Names of the files in a run's folder, see TrainingRun.
namespace gradus::tools::run_file {

inline constexpr const char *settings = "settings.toml", *last = "last.safetensors",
                            *best = "best.safetensors", *average = "average.safetensors",
                            *next = "next.safetensors", *log = "log.jsonl", *curves = "curves.svg",
                            *alignments = "alignments.svg", *page = "index.html";

inline constexpr std::array all{settings, last, best, average, next, log, curves, alignments, page};

/// "step-500.safetensors": the weights after a step.
std::string of_step(std::int64_t step);
/// The inverse of of_step(): the step in this name; std::nullopt for other names.
std::optional<std::int64_t> step_of(std::string_view name);

}  // namespace gradus::tools::run_file

namespace gradus::tools {

/// True if the folder holds a run of `gradus train`.
bool holds_run(const std::filesystem::path& folder);

/// The content of a run's file; empty unless it is a regular file that can be read.
std::string content_if_there(const std::filesystem::path& file);

/// The first bytes of a file of `gradus export`: MAGIC in gradus_tiny.c.
inline constexpr std::string_view tiny_magic("gradus1\0", 8);

/// Returns a file's path unchanged. For a folder, returns its best checkpoint or, without one, its last.
/// While a new run replaces an old one in the folder, returns the new run's checkpoint.
/// @throws Error for a folder without a checkpoint, and for a file of `gradus export`.
std::filesystem::path checkpoint_of(const std::filesystem::path& path);

/// The checkpoint from which the run in this folder resumes.
std::filesystem::path last_checkpoint_of(const std::filesystem::path& folder);

/// True if training writes files of this name.
bool is_run_file(const std::string& name);

/// The folder's files that is_run_file() accepts, sorted by name; none if the folder does not exist.
std::vector<std::filesystem::path> run_files(const std::filesystem::path& folder);

/// The run_files() that training did not write, such as the user's own weights. If the folder has no
/// checkpoint, returns all run_files().
std::vector<std::filesystem::path> foreign_files(const std::filesystem::path& folder);

/// The step-S.safetensors files in the folder with their steps, in ascending order.
std::vector<std::pair<std::int64_t, std::filesystem::path>> step_files(const std::filesystem::path& folder);

/// Removes a file. @throws Error if that fails.
void remove_run_file(const std::filesystem::path& path);

/// Finishes replacing an old run. A new run first writes its checkpoint to `next.safetensors`; from then on
/// the folder belongs to the new run. This function removes the old run's files, and renames the checkpoint
/// to `last.safetensors`. If the process is killed in between, calling the function again completes the
/// replacement. Does nothing without `next.safetensors`.
/// @throws Error if a file cannot be removed or renamed.
void finish_replacement(const std::filesystem::path& folder);

}  // namespace gradus::tools
