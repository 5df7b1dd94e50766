#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace gradus::tools {

/// The lines of a text.
struct LineReader {
  /// Returns the next lines, at most 1000; empty at the end.
  /// @throws Error if data::TextLines throws.
  std::vector<std::string> operator()() const { return next(); }

  std::function<std::vector<std::string>()> next;
  std::int64_t total = 0;  ///< the number of all lines; 0 if unknown
};

/// Reads a file or, if the path is empty or "-", standard input. From a pipe or a terminal, returns the lines
/// available so far. Blocks only for the first line, and for the rest of a line that has begun to arrive.
/// cli_main() prepares std::cin for this.
/// @throws Error for a file that data::read_lines() refuses.
LineReader lines_of(const std::filesystem::path& path);

}  // namespace gradus::tools
