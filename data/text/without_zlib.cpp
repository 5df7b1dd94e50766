#include <fstream>
#include <iterator>

#include "check.hpp"
#include "text/content.hpp"

namespace gradus::data {

std::string file_content(std::string_view operation, const std::filesystem::path& path) {
  constexpr std::string_view gzip = "\x1f\x8b";
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(operation, ": '", path.string(), "' cannot be opened; check the path and the permissions");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) fail(operation, ": '", path.string(), "' could not be read; check the disk, and try again");
  if (text.starts_with(gzip)) {
    fail(operation, ": '", path.string(),
         "' is compressed by gzip, but gradus was built without zlib; decompress it first");
  }
  return text;
}

}  // namespace gradus::data
