#pragma once

#include <array>

/// Names of the files in a run's folder, see TrainingRun.
namespace gradus::tools::run_file {

inline constexpr const char *settings = "settings.toml", *last = "last.safetensors",
                            *best = "best.safetensors", *log = "log.jsonl", *curves = "curves.svg",
                            *alignments = "alignments.svg", *page = "index.html";

inline constexpr std::array all{settings, last, best, log, curves, alignments, page};

}  // namespace gradus::tools::run_file
