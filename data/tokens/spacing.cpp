#include "tokens/spacing.hpp"

#include <string_view>

#include "text/character_class.hpp"
#include "tokens/words.hpp"

namespace gradus::data {
namespace {

// True if a space is written between the two tokens.
bool apart(std::u32string_view left, std::u32string_view right, Spacing spacing) {
  const char32_t last = left.back(), first = right.front();
  if (spacing.solid && (is_solid(last) || is_solid(first))) return false;
  if (spacing.french) {
    if (last == U'«' || first == U'»') return true;
    if (one_of(first, U"!?;:")) return !one_of(last, U"!?");
  }
  if (is_elision(left)) return false;
  if (is_currency(last) && is_digit(first)) return false;
  const bool word = is_apostrophe(first) && right.size() > 1;  // a word such as ’em
  return !is_opening(last) && (word || !is_closing(first));
}

}  // namespace

std::u32string write_spaced(std::span<const std::u32string> tokens, Spacing spacing) {
  std::u32string text;
  std::u32string_view left;
  bool quoted = false;
  for (const std::u32string& token : tokens) {
    if (token.empty()) continue;
    std::u32string_view right = token;
    if (token == U"\"") {  // straight quotation marks alternate between opening and closing
      right = quoted ? U"”" : U"“";
      quoted = !quoted;
    }
    if (!left.empty() && apart(left, right, spacing)) text += U' ';
    text += token;
    left = right;
  }
  return text;
}

}  // namespace gradus::data
