#pragma once

#include <filesystem>
#include <string_view>

namespace gradus::tools {

/// Proves, before the work, that a file can be written where it is wanted; an empty path is wanted nowhere.
/// @throws Error as files::check_writable.
void check_output(std::string_view who, const std::filesystem::path& file);

/// Proves that all of standard output was written. @throws Error.
void flush_standard_output();

}  // namespace gradus::tools
