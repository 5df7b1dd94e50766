#include <gradus/data/text_lines.hpp>
#include <gradus/data/utf8.hpp>

#include "check.hpp"
#include "text/content.hpp"
#include "text/lines.hpp"

namespace gradus::data {

TextLines::TextLines(std::string_view operation, const std::filesystem::path& path)
    : operation_(operation), path_(path), content_(open_content(operation, path)) {}

TextLines::~TextLines() = default;

// Reads up to a line feed, which is dropped. Returns false at the end of the text.
bool TextLines::read(std::string& line) {
  using Traits = std::streambuf::traits_type;
  const auto check_length = [&](std::size_t most) {
    if (line.size() <= most) return;
    fail(at_line(operation_, path_.string(), line_), ": found no line end within ", longest,
         " bytes, the most that a line may have; give text with shorter lines");
  };
  line.clear();
  for (auto next = content_->sbumpc(); next != Traits::eof(); next = content_->sbumpc()) {
    const char c = Traits::to_char_type(next);
    if (c == '\n') {
      if (line.ends_with('\r')) line.pop_back();
      check_length(longest);
      return true;
    }
    line += c;
    check_length(longest + 1);  // the last byte may be the CR of CR LF
  }
  check_length(longest);
  return !line.empty();
}

bool TextLines::next(std::string& line) {
  ++line_;
  if (!read(line)) return false;
  if (line_ == 1 && line.starts_with(byte_order_mark)) line.erase(0, byte_order_mark.size());
  check_utf8(at_line(operation_, path_.string(), line_), line);
  return true;
}

}  // namespace gradus::data
