#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace gradus::tools {

/// Returns the next lines of a text, at most 1000; empty at the end.
/// @throws Error naming the line that is not UTF-8.
using LineReader = std::function<std::vector<std::string>()>;

/// Reads a file or, if the path is empty or "-", standard input. From a pipe or a terminal, returns the lines
/// written so far, and waits only for the first; cli_main() prepares std::cin for this.
/// @throws Error as data::read_lines.
LineReader lines_of(const std::filesystem::path& path);

}  // namespace gradus::tools
