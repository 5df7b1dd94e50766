#include "files/line_reader.hpp"

#include <gradus/autograd/checks.hpp>
#include <gradus/data/parallel_text.hpp>
#include <gradus/data/utf8.hpp>

#include <algorithm>
#include <iostream>
#include <optional>
#include <utility>

#include "files/line_ends.hpp"

namespace gradus::tools {
namespace {

constexpr std::size_t most_lines = 1000;
constexpr int gzip_begin = 0x1F;  // no text begins with this control character

LineReader lines_of_whole(const std::filesystem::path& path) {
  std::vector<std::string> lines = data::read_lines(path);
  if (std::ranges::any_of(lines, has_carriage_return)) note_carriage_returns(path.string());
  const std::int64_t total = std::ssize(lines);
  return {.next =
              [lines = std::move(lines), done = std::size_t{0}]() mutable {
                std::vector<std::string> next;
                while (next.size() < most_lines && done < lines.size())
                  next.push_back(std::move(lines[done++]));
                return next;
              },
          .total = total};
}

// True if reading from standard input would not block.
bool has_input() { return std::cin.rdbuf()->in_avail() > 0; }

LineReader lines_of_standard_input() {
  return {.next = [done = std::size_t{0}, noted = false, unpacked = std::optional<LineReader>()]() mutable {
    if (done == 0 && !unpacked && std::cin.peek() == gzip_begin) unpacked = lines_of_whole("-");
    if (unpacked) return unpacked->next();
    std::vector<std::string> next;
    std::string line;
    while (next.size() < most_lines && (next.empty() || has_input()) && std::getline(std::cin, line)) {
      if (done == 0 && line.starts_with(data::byte_order_mark)) line.erase(0, data::byte_order_mark.size());
      if (line.ends_with('\r')) line.pop_back();
      data::check_utf8("standard input line " + std::to_string(++done), line);
      if (!noted && has_carriage_return(line)) note_carriage_returns("-");
      noted = noted || has_carriage_return(line);
      next.push_back(std::move(line));
    }
    if (std::cin.bad()) fail("input", "standard input cannot be read; give a file, or a pipe");
    return next;
  }};
}

}  // namespace

LineReader lines_of(const std::filesystem::path& path) {
  return path.empty() || path == "-" ? lines_of_standard_input() : lines_of_whole(path);
}

}  // namespace gradus::tools
