#include <array>
#include <memory>
#include <zlib.h>

#include "check.hpp"
#include "text/content.hpp"

namespace gradus::data {

std::string file_content(std::string_view operation, const std::filesystem::path& path) {
  std::unique_ptr<gzFile_s, int (*)(gzFile)> file(::gzopen(path.c_str(), "rb"), ::gzclose_r);
  if (!file) fail(operation, ": '", path.string(), "' cannot be opened; check the path and the permissions");
  std::string text;
  std::array<char, 1 << 16> some{};
  for (int size = 0; (size = ::gzread(file.get(), some.data(), some.size())) != 0;) {
    int code = Z_OK;
    std::string reason = size < 0 ? ::gzerror(file.get(), &code) : "";
    if (const std::string name = path.string() + ": "; reason.starts_with(name)) reason.erase(0, name.size());
    if (code == Z_ERRNO) {
      fail(operation, ": '", path.string(), "' could not be read; check the disk, and try again");
    }
    if (size < 0) {
      fail(operation, ": '", path.string(), "' is damaged (", reason, "); copy it again");
    }
    text.append(some.data(), static_cast<std::size_t>(size));
  }
  if (::gzclose_r(file.release()) == Z_BUF_ERROR) {
    fail(operation, ": '", path.string(), "' ends within its compressed data; copy it again");
  }
  return text;
}

}  // namespace gradus::data
