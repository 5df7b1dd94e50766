#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace gradus::tools {

/// The next lines of a text, at most 1000; none at its end.
/// @throws Error naming the line when it is not UTF-8.
using LineReader = std::function<std::vector<std::string>()>;

/// The lines of a file; of standard input where the path is empty or "-": as they come, and from a terminal
/// each line at once, for whoever types it waits for the answer.
/// @throws Error as data::read_lines.
LineReader lines_of(const std::filesystem::path& path);

}  // namespace gradus::tools
