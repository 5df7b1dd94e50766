#include "text/lines.hpp"

#include <gradus/data/text_lines.hpp>
#include <gradus/data/utf8.hpp>

#include <algorithm>
#include <limits>
#include <unistd.h>

#include "check.hpp"
#include "text/content.hpp"

namespace gradus::data {
namespace {

std::size_t half_of_memory() {
  const auto pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(page) / 2
                               : std::numeric_limits<std::size_t>::max();
}

}  // namespace

std::string at_line(std::string_view operation, std::string_view source_name, std::size_t line) {
  return std::string(operation)
      .append(": ")
      .append(shown(source_name))
      .append(" line ")
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

std::vector<std::string> read_lines(std::string_view operation, const std::filesystem::path& path,
                                    std::size_t most_memory) {
  TextLines text(operation, path);
  std::vector<std::string> lines;
  if (most_memory == 0) most_memory = half_of_memory();
  std::size_t memory = 0;
  for (std::string line; text.next(line);) {
    memory += sizeof(std::string) + line.size();
    if (memory > most_memory) {
      constexpr double gigabyte = 1e9;
      fail(operation, ": ", shown(path), " needs more than ", static_cast<double>(most_memory) / gigabyte,
           " GB of memory, the most for a text; give less text");
    }
    lines.push_back(line);
  }
  return lines;
}

}  // namespace gradus::data
