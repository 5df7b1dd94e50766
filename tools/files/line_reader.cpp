#include "files/line_reader.hpp"

#include <gradus/data/parallel_text.hpp>
#include <gradus/data/text_lines.hpp>

#include <algorithm>
#include <memory>
#include <utility>

#include "files/line_ends.hpp"
#include "settings/streams.hpp"

namespace gradus::tools {
namespace {

constexpr std::size_t most_lines = 1000;

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

LineReader lines_of_stream(const std::filesystem::path& path) {
  const auto text = std::make_shared<data::TextLines>("read_lines", path);
  return {.next = [text, name = path.string(), noted = false]() mutable {
    std::vector<std::string> next;
    std::string line;
    while (next.size() < most_lines && (next.empty() || text->has_content()) && text->next(line)) {
      if (!noted && has_carriage_return(line)) note_carriage_returns(name);
      noted = noted || has_carriage_return(line);
      next.push_back(std::move(line));
    }
    return next;
  }};
}

}  // namespace

LineReader lines_of(const std::filesystem::path& path) {
  if (path.empty()) return lines_of_stream("-");
  return is_stream(path) ? lines_of_stream(path) : lines_of_whole(path);
}

}  // namespace gradus::tools
