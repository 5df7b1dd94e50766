#include <gradus/data/phrases.hpp>

#include <string>

#include "check.hpp"
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
  std::string names;
  for (const auto& [known, text] : phrase_sets) {
    if (known == name) return parse_tab_separated("phrases", std::string(name), lines_of(text));
    names += (names.empty() ? "" : ", ") + std::string(known);
  }
  fail("phrases: unknown set '", name, "'; available: ", names);
}

}  // namespace gradus::data
