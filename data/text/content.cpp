#include "text/content.hpp"

#include <gradus/files/input.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <iostream>
#include <optional>
#include <system_error>

#include "check.hpp"
#include "text/inflater.hpp"

namespace gradus::data {
namespace {

namespace fs = std::filesystem;

// Refuses folders, and devices, whose content could be endless.
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

class Content : public std::streambuf {
 public:
  Content(std::string_view operation, const fs::path& path) : operation_(operation), path_(path) {
    if (is_standard_input()) return;
    check_kind(operation, path);
    file_.open(path, std::ios::binary);
    if (!file_) files::refuse_to_open(operation, path, errno);
  }

 protected:
  int_type underflow() override {
    if (!is_known_) find_format();
    const std::size_t size = inflater_ ? decompressed() : stored();
    setg(out_.data(), out_.data(), out_.data() + size);
    return size == 0 ? traits_type::eof() : traits_type::to_int_type(out_.front());
  }
  std::streamsize showmanyc() override { return raw_.empty() ? from().in_avail() : std::ssize(raw_); }

 private:
  bool is_standard_input() const { return path_ == "-"; }
  std::streambuf& from() { return is_standard_input() ? *std::cin.rdbuf() : *file_.rdbuf(); }

  void find_format() {
    fill(gzip_magic.size());
    if (raw_.starts_with(gzip_magic)) inflater_.emplace(operation_, shown(path_));
    is_known_ = true;
  }

  // Reads until raw_ has at least `least` bytes, or the source ends. Also takes further bytes that a pipe
  // already holds, but does not wait for more than `least`.
  void fill(std::size_t least) {
    if (raw_.size() >= least) return;
    std::copy(raw_.begin(), raw_.end(), raw_bytes_.begin());
    std::size_t size = raw_.size();
    try {
      while (size < least && from().sgetc() != traits_type::eof()) {
        const std::streamsize room = std::ssize(raw_bytes_) - static_cast<std::streamsize>(size);
        size += static_cast<std::size_t>(
            from().sgetn(raw_bytes_.data() + size, std::clamp<std::streamsize>(from().in_avail(), 1, room)));
      }
    } catch (const std::ios_base::failure&) {  // a closed file descriptor, or a broken disk
      fail(operation_, ": ", shown(path_),
           is_standard_input() ? " cannot be read; give a file, or a pipe"
                               : " could not be read; check the disk, and try again");
    }
    raw_ = {raw_bytes_.data(), size};
  }

  std::size_t stored() {
    fill(1);
    std::ranges::copy(raw_, out_.begin());
    const std::size_t size = raw_.size();
    raw_ = {};
    return size;
  }

  std::size_t decompressed() {
    while (true) {
      if (inflater_->has_ended()) {  // a file may have several members; gzip ignores bytes after the last one
        fill(gzip_magic.size());
        if (!raw_.starts_with(gzip_magic)) return 0;
        inflater_->restart();
      }
      fill(1);
      const std::size_t size = inflater_->read(raw_, out_);
      if (size > 0) return size;
    }
  }

  std::string operation_;
  fs::path path_;
  std::ifstream file_;
  bool is_known_ = false;  // the format
  std::optional<Inflater> inflater_;
  std::array<char, 1 << 16> raw_bytes_{}, out_{};
  std::string_view raw_;  // the bytes that were read, but not decoded yet
};

}  // namespace

std::string shown(const fs::path& path) {
  return path == "-" ? "standard input" : std::string("'").append(path.string()).append("'");
}

std::unique_ptr<std::streambuf> open_content(std::string_view operation, const fs::path& path) {
  return std::make_unique<Content>(operation, path);
}

std::string content_of(std::string_view operation, const fs::path& path, std::size_t most) {
  const auto content = open_content(operation, path);
  std::string text;
  std::array<char, 1 << 16> bytes{};
  while (const std::streamsize size = content->sgetn(bytes.data(), std::ssize(bytes))) {
    text.append(bytes.data(), static_cast<std::size_t>(size));
    if (text.size() > most)
      fail(operation, ": ", shown(path), " has more than the ", most,
           " bytes that are allowed; give another file");
  }
  return text;
}

}  // namespace gradus::data
