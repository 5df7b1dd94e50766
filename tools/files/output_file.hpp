#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace gradus::tools {

/// True if the file is "-", standard output.
bool is_standard_output(const std::filesystem::path& file);

/// For CLI11's Option::check: refuses "-".
/// @param why the reason in the message, for example "but weights are binary"
std::function<std::string(const std::string&)> no_standard_output(std::string why);

/// Checks, before a computation, that the file can be written and is neither one of the inputs `read` nor
/// part of a run of `gradus train`. Ignores empty paths.
/// @throws Error if not, and as files::check_target.
void check_output(std::string_view who, const std::filesystem::path& file,
                  std::span<const std::filesystem::path> read);

/// A file to write, and the option that names it.
struct Output {
  std::string option;
  std::filesystem::path file;
};

/// Refuses two outputs that are the same file, even if spelled differently or reached through links. Ignores
/// empty paths, "-", devices and pipes.
/// @throws UsageError naming both options.
void check_distinct(std::span<const Output> outputs);

/// The text itself or, if the file is a terminal, the text in printable() form, with line ends and tabs.
/// @param file "-" for standard output
std::string for_output(std::string_view text, const std::filesystem::path& file = "-");

/// Writes for_output() to the file or, for "-", to standard output; does nothing if the path is empty.
/// @throws Error.
void write_output(std::string_view who, const std::filesystem::path& file, std::string_view content);

/// @throws Error unless all of standard output was written.
void flush_standard_output();

}  // namespace gradus::tools
