#include <gradus/data/phrases.hpp>
#include <gradus/find_row.hpp>

#include <string>
#include <utility>

#include "phrases/phrase_sets.hpp"
#include "text/tab_separated.hpp"

namespace gradus::data {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

}  // namespace

std::vector<SentencePair> phrases(std::string_view name) {
  const auto& [known, text] =
      find_row("phrases", "set", name, phrase_sets, &std::pair<std::string_view, std::string_view>::first);
  return parse_tab_separated("phrases", std::string(known), lines_of(text));
}

std::vector<std::string> phrase_set_names() {
  std::vector<std::string> names;
  for (const auto& [name, text] : phrase_sets) names.emplace_back(name);
  return names;
}

}  // namespace gradus::data
