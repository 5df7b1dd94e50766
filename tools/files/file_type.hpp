#pragma once

#include <filesystem>

namespace gradus::tools {

/// The type of a file, with links followed; file_type::not_found if the file does not exist.
/// @throws Error with the system's reason if the type is unknown: a loop of links, a name that is too long, a
/// folder without permission.
std::filesystem::file_type type_of(const std::filesystem::path& path);

inline bool is_there(const std::filesystem::path& path) {
  return type_of(path) != std::filesystem::file_type::not_found;
}
inline bool is_folder(const std::filesystem::path& path) {
  return type_of(path) == std::filesystem::file_type::directory;
}

}  // namespace gradus::tools
