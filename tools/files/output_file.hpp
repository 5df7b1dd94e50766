#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace gradus::tools {

/// True for "-", which stands for standard output.
bool is_standard_output(const std::filesystem::path& file);

/// For CLI11's Option::check: returns a check that refuses "-".
/// @param why the reason given in the message, such as "but weights are binary"
std::function<std::string(const std::string&)> no_standard_output(std::string why);

/// Checks before a computation that the file can be written. Refuses a folder, an input (listed in `read`),
/// and a file of a run of `gradus train`. Ignores empty paths and "-". Also calls files::sweep() on the
/// file's folder.
/// @throws Error if the file is refused, or if files::check_target() throws.
void check_output(std::string_view who, const std::filesystem::path& file,
                  std::span<const std::filesystem::path> read);

/// A file to write, and the name of its option.
struct Output {
  std::string option;
  std::filesystem::path file;
};

/// Refuses two outputs that are the same file, even through links or different spellings. Ignores empty
/// paths, "-", devices and pipes.
/// @throws UsageError naming both options.
void check_distinct(std::span<const Output> outputs);

/// The text to write. For a terminal, control characters other than line ends and tabs are escaped, see
/// printable().
/// @param file "-" for standard output
std::string for_output(std::string_view text, const std::filesystem::path& file = "-");

/// Writes for_output() to the file or, for "-", to standard output; does nothing if the path is empty.
/// @throws Error if it cannot be written.
void write_output(std::string_view who, const std::filesystem::path& file, std::string_view content);

/// Flushes standard output. @throws Error if a write to it has failed.
void flush_standard_output();

}  // namespace gradus::tools
