#include <gradus/data/parallel_text.hpp>
#include <gradus/data/utf8.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

#include "check.hpp"
#include "text/character_class.hpp"
#include "text/content.hpp"
#include "text/lines.hpp"
#include "text/tab_separated.hpp"

namespace gradus::data {
namespace {

// True if a Tokeniser finds no token in the text: it has only spaces of any kind and control characters.
bool blank(std::string_view where, std::string_view text) {
  if (!text.empty() && '!' <= text.front() && text.front() <= '~') return false;  // the usual case
  return std::ranges::all_of(decode_utf8(where, text), is_space);
}

SentencePair parse_pair(const Columns& columns, std::string_view where) {
  if (!columns.second) {
    fail(where, ": expected 2 tab-separated columns, found 1; add the target or remove the line");
  }
  const std::string_view source = columns.first, target = *columns.second;
  const bool no_source = blank(where, source);
  if (no_source || blank(where, target)) {
    fail(where, ": the ", no_source ? "source" : "target", " is blank; fill it in or remove the line");
  }
  return {std::string(source), std::string(target)};
}

}  // namespace

std::vector<std::string> read_lines(const std::filesystem::path& path, std::size_t most_memory) {
  return read_lines("read_lines", path, most_memory);
}

std::vector<SentencePair> parse_tab_separated(std::string_view operation, const std::string& name,
                                              std::span<const std::string> lines, std::int64_t* with_more) {
  std::vector<SentencePair> pairs;
  std::int64_t count = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string where = at_line(operation, name, i + 1);
    if (blank(where, lines[i])) continue;
    const Columns columns = columns_of(lines[i]);
    count += columns.has_more ? 1 : 0;
    pairs.push_back(parse_pair(columns, where));
  }
  if (with_more != nullptr) *with_more = count;
  if (pairs.empty()) {
    fail(operation, ": ", shown(name), " has no pairs; write source, tab and target on each line");
  }
  return pairs;
}

Columns columns_of(std::string_view line) {
  const std::size_t tab = line.find('\t');
  if (tab == std::string_view::npos) return {.first = line, .second = std::nullopt};
  const std::string_view rest = line.substr(tab + 1);
  const std::size_t end = rest.find('\t');
  return {
      .first = line.substr(0, tab), .second = rest.substr(0, end), .has_more = end != std::string_view::npos};
}

std::vector<SentencePair> read_tab_separated(const std::filesystem::path& path, std::int64_t* with_more) {
  constexpr std::string_view operation = "read_tab_separated";
  return parse_tab_separated(operation, path.string(), read_lines(operation, path), with_more);
}

std::vector<SentencePair> read_parallel(const std::filesystem::path& source,
                                        const std::filesystem::path& target) {
  constexpr std::string_view operation = "read_parallel";
  std::vector<std::string> sources = read_lines(operation, source), targets = read_lines(operation, target);
  if (sources.size() != targets.size()) {
    fail(operation, ": ", shown(source), " has ", sources.size(), " lines, but ", shown(target), " has ",
         targets.size(), "; line i of the second file must translate line i of the first");
  }
  std::vector<SentencePair> pairs;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (blank(operation, sources[i]) || blank(operation, targets[i])) continue;
    pairs.push_back({std::move(sources[i]), std::move(targets[i])});
  }
  if (pairs.empty()) {
    fail(operation, ": ", shown(source), " and ", shown(target),
         " have no pairs; give files with one sentence per line");
  }
  return pairs;
}

}  // namespace gradus::data
