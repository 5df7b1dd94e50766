#include "text/lines.hpp"

#include <gradus/data/utf8.hpp>

#include <algorithm>

#include "text/content.hpp"

namespace gradus::data {

std::string at_line(std::string_view operation, std::string_view source_name, std::size_t line) {
  return std::string(operation)
      .append(": '")
      .append(source_name)
      .append("' line ")
      .append(std::to_string(line));
}

std::vector<std::string_view> split_lines(std::string_view operation, std::string_view source_name,
                                          std::string_view text) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());

  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    check_utf8(at_line(operation, source_name, i + 1), lines[i]);
  }
  return lines;
}

std::vector<std::string> read_lines(std::string_view operation, const std::filesystem::path& path) {
  const std::string text = content_of(operation, path);
  const std::vector<std::string_view> lines = split_lines(operation, path.string(), text);
  return {lines.begin(), lines.end()};
}

}  // namespace gradus::data
