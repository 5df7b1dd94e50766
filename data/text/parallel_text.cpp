#include <gradus/data/parallel_text.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

#include "check.hpp"
#include "text/lines.hpp"
#include "text/tab_separated.hpp"

namespace gradus::data {
namespace {

bool blank(std::string_view text) { return text.find_first_not_of(" \t") == std::string_view::npos; }

SentencePair parse_pair(std::string_view line, std::string_view where) {
  const std::size_t tab = line.find('\t');
  if (tab == std::string_view::npos) {
    fail(where, ": expected 2 tab-separated columns, found 1; add the target or remove the line");
  }
  const std::string_view source = line.substr(0, tab), rest = line.substr(tab + 1);
  const std::string_view target = rest.substr(0, rest.find('\t'));
  if (blank(source) || blank(target)) {
    fail(where, ": the ", blank(source) ? "source" : "target", " is blank; fill it in or remove the line");
  }
  return {std::string(source), std::string(target)};
}

}  // namespace

std::vector<std::string> read_lines(const std::filesystem::path& path) {
  return read_lines("read_lines", path);
}

std::vector<SentencePair> parse_tab_separated(std::string_view operation, const std::string& name,
                                              std::span<const std::string> lines) {
  std::vector<SentencePair> pairs;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!blank(lines[i])) pairs.push_back(parse_pair(lines[i], at_line(operation, name, i + 1)));
  }
  if (pairs.empty()) {
    fail(operation, ": '", name, "' has no pairs; write source, tab and target on each line");
  }
  return pairs;
}

std::vector<SentencePair> read_tab_separated(const std::filesystem::path& path) {
  constexpr std::string_view operation = "read_tab_separated";
  return parse_tab_separated(operation, path.string(), read_lines(operation, path));
}

std::vector<SentencePair> read_parallel(const std::filesystem::path& source,
                                        const std::filesystem::path& target) {
  constexpr std::string_view operation = "read_parallel";
  std::vector<std::string> sources = read_lines(operation, source), targets = read_lines(operation, target);
  if (sources.size() != targets.size()) {
    fail(operation, ": '", source.string(), "' has ", sources.size(), " lines, but '", target.string(),
         "' has ", targets.size(), "; line i of the second file must translate line i of the first");
  }
  std::vector<SentencePair> pairs;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (blank(sources[i]) || blank(targets[i])) continue;
    pairs.push_back({std::move(sources[i]), std::move(targets[i])});
  }
  if (pairs.empty()) {
    fail(operation, ": '", source.string(), "' and '", target.string(),
         "' have no pairs; give files with one sentence per line");
  }
  return pairs;
}

}  // namespace gradus::data
