#include "text/content.hpp"

#include <gradus/files/input.hpp>

#include <cerrno>
#include <fstream>
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

// Reads a stream to its end. Throws if reading fails.
template <class Refuse>
std::string rest_of(std::istream& in, const Refuse& refuse) {
  std::ostringstream text;
  if (in.peek() != std::istream::traits_type::eof()) text << in.rdbuf();
  if (in.bad() || text.bad()) refuse();
  return std::move(text).str();
}

std::string standard_input(std::string_view operation) {
  return rest_of(std::cin,
                 [&] { fail(operation, ": standard input cannot be read; give a file, or a pipe"); });
}

std::string file(std::string_view operation, const fs::path& path) {
  check_kind(operation, path);
  std::ifstream in(path, std::ios::binary);
  if (!in) files::refuse_to_open(operation, path, errno);
  return rest_of(in, [&] {
    fail(operation, ": '", path.string(), "' could not be read; check the disk, and try again");
  });
}

}  // namespace

std::string content_of(std::string_view operation, const fs::path& path) {
  const bool is_stream = path == "-";
  std::string bytes = is_stream ? standard_input(operation) : file(operation, path);
  if (!bytes.starts_with(gzip_magic)) return bytes;
  return decompressed(
      operation, is_stream ? "standard input" : std::string("'").append(path.string()).append("'"), bytes);
}

}  // namespace gradus::data
