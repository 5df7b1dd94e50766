#include "files/file_type.hpp"

#include <gradus/files/atomic.hpp>

#include <system_error>

namespace gradus::tools {

namespace fs = std::filesystem;

fs::file_type type_of(const fs::path& path) {
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  if (type == fs::file_type::none) files::refuse("path", "find", path, error.value());
  return type;
}

}  // namespace gradus::tools
