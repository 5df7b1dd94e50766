#include "text/content.hpp"

#include <iostream>
#include <sstream>
#include <system_error>
#include <utility>

#include "check.hpp"

namespace gradus::data {
namespace {

namespace fs = std::filesystem;

// Refuses devices, whose content could be endless.
void check_kind(std::string_view operation, const fs::path& path) {
  std::error_code not_there;
  switch (fs::status(path, not_there).type()) {
    case fs::file_type::regular:
    case fs::file_type::fifo:
    case fs::file_type::socket:
    case fs::file_type::not_found:
    case fs::file_type::none:
      return;
    default:
      fail(operation, ": '", path.string(), "' is not a regular file; give the path of a text file");
  }
}

std::string standard_input(std::string_view operation) {
  std::ostringstream text;
  if (std::cin.peek() != std::istream::traits_type::eof()) text << std::cin.rdbuf();
  if (std::cin.bad()) fail(operation, ": standard input cannot be read; give a file, or a pipe");
  return std::move(text).str();
}

}  // namespace

std::string content_of(std::string_view operation, const fs::path& path) {
  if (path == "-") return standard_input(operation);
  check_kind(operation, path);
  return file_content(operation, path);
}

}  // namespace gradus::data
