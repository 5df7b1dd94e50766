#include "settings/option_error.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "settings/printable.hpp"

namespace gradus::tools {
namespace {

// A clearer message for CLI11's "OPTION: x not in {a,b}". Empty for any other message.
std::string unknown_value(const std::string& text) {
  constexpr std::string_view between = " not in {";
  const std::size_t colon = text.find(": "), list = text.rfind(between);
  if (colon == text.npos || list == text.npos || list < colon || text.back() != '}') return "";
  std::string available;
  for (const char c : text.substr(list + between.size(), text.size() - 1 - list - between.size())) {
    available += c == ',' ? ", " : std::string(1, c);
  }
  return text.substr(0, colon) + ": unknown value '" + excerpt(text.substr(colon + 2, list - colon - 2)) +
         "'; available: " + available;
}

}  // namespace

std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return printable(text);
}

std::string clear_message(const CLI::Error& error) {
  const std::string raw = error.what();
  std::string text = one_line(raw);
  const std::string option = text.substr(0, text.find(':'));
  const auto contains = [&](std::string_view part) { return text.find(part) != text.npos; };
  // Replaces the first `word` in the text by `other`.
  const auto with = [&](std::string_view word, std::string_view other) {
    return std::string(text).replace(text.find(word), word.size(), other);
  };
  if (std::string unknown = unknown_value(raw); !unknown.empty()) return unknown;
  if (contains(": At Most 1 required") || contains(": too many inputs for a flag")) {
    return option + " takes one value, found several; give one";
  }
  if (contains(": 1 required ")) return option + " needs a value";
  if (contains(" requires -")) return with(" requires ", " needs ");
  if (contains(" excludes -")) return with(" excludes ", " cannot be combined with ") + "; omit one of them";
  if (contains(": This option is not allowed in a configuration file")) {
    return option + ": not allowed in a configuration file; give it on the command line";
  }
  constexpr std::string_view not_converted = "Could not convert: ";
  if (const std::size_t equals = raw.find(" = "); raw.starts_with(not_converted) && equals != raw.npos) {
    return one_line(raw.substr(not_converted.size(), equals - not_converted.size())) +
           ": expected true or false, found " + excerpt(raw.substr(equals + 3));
  }
  return text;
}

}  // namespace gradus::tools
