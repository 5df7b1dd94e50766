#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <streambuf>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace gradus::data {

/// Reads a text in UTF-8 line by line, as it arrives. The text is a file, a pipe, or standard input for the
/// path "-". A text compressed by gzip is decompressed. A byte order mark and CR LF are accepted.
class TextLines {
 public:
  /// The maximum number of bytes in a line, not counting its end. Without a maximum, a line could be endless.
  static constexpr std::size_t longest = 1 << 20;

  /// @param operation  prefix of the messages
  /// @throws gradus::Error if the path cannot be opened, or is a folder or a device.
  TextLines(std::string_view operation, const std::filesystem::path& path);
  ~TextLines();

  /// Reads the next line, without its end. Returns false at the end of the text.
  /// @throws gradus::Error if the text cannot be read, if its compressed data is damaged, or if the line is
  ///         not UTF-8 or longer than `longest`. An error about the line states the line's number.
  bool next(std::string& line);
  /// True if the source has content that can be read without waiting for the program that writes it.
  bool has_content() const { return content_->in_avail() > 0; }

 private:
  bool read(std::string& line);

  std::string operation_;
  std::filesystem::path path_;
  std::unique_ptr<std::streambuf> content_;
  std::size_t line_ = 0;  // lines read
};

}  // namespace gradus::data
#pragma GCC visibility pop
