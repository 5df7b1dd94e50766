#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace gradus::tools {

/// Whether an output file is standard output, by its name, "-".
bool is_standard_output(const std::filesystem::path& file);

/// For CLI11's Option::check: "-" is bad usage of this option.
/// @param why how the message goes on: "and the weights are binary"
std::function<std::string(const std::string&)> no_standard_output(std::string why);

/// Proves, before the work, that a file can be written where it is wanted, and that nothing is lost by that:
/// neither what the command reads nor what a run of `gradus train` lives by. An empty path is wanted nowhere,
/// here and in `read`.
/// @throws Error, also as files::check_target.
void check_output(std::string_view who, const std::filesystem::path& file,
                  std::span<const std::filesystem::path> read);

/// Writes the file, or to standard output; an empty path is wanted nowhere. @throws Error.
void write_output(std::string_view who, const std::filesystem::path& file, std::string_view content);

/// Proves that all of standard output was written. @throws Error.
void flush_standard_output();

}  // namespace gradus::tools
