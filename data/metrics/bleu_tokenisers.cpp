#include <gradus/data/bleu_tokenisers.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "check.hpp"
#include "metrics/code_points.hpp"

namespace gradus::data {
namespace {

using Tokens = std::vector<std::string>;

constexpr std::array<std::pair<std::string_view, BleuTokeniser>, 4> names{{
    {"13a", BleuTokeniser::mteval_13a},
    {"none", BleuTokeniser::none},
    {"char", BleuTokeniser::characters},
    {"zh", BleuTokeniser::chinese},
}};

// White space as in Python's str.split(): Unicode's white space and the four information separators.
bool is_space(char32_t value) {
  return (value >= 0x09 && value <= 0x0D) || (value >= 0x1C && value <= 0x20) || value == 0x85 ||
         value == 0xA0 || value == 0x1680 || (value >= 0x2000 && value <= 0x200A) || value == 0x2028 ||
         value == 0x2029 || value == 0x202F || value == 0x205F || value == 0x3000;
}

Tokens split_at_spaces(std::string_view line) {
  Tokens tokens;
  bool inside = false;
  for (const auto& [value, bytes] : code_points(line)) {
    const bool space = is_space(value);
    if (!space && !inside) tokens.emplace_back();
    if (!space) tokens.back() += bytes;
    inside = !space;
  }
  return tokens;
}

Tokens split_characters(std::string_view line) {
  Tokens tokens;
  for (const auto& [value, bytes] : code_points(line)) {
    if (!is_space(value)) tokens.emplace_back(bytes);
  }
  return tokens;
}

std::string_view trim(std::string_view line) {
  const std::vector<CodePoint> points = code_points(line);
  const auto is_ink = [](const CodePoint& point) { return !is_space(point.value); };
  const auto first = std::ranges::find_if(points, is_ink);
  if (first == points.end()) return {};
  const auto last = std::find_if(points.rbegin(), points.rend(), is_ink);
  return {first->bytes.begin(), last->bytes.end()};
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t i = 0; (i = text.find(from, i)) != std::string::npos; i += to.size()) {
    text.replace(i, from.size(), to);
  }
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_not_digit(char c) { return !is_digit(c); }
bool is_point_or_comma(char c) { return c == '.' || c == ','; }
bool is_dash(char c) { return c == '-'; }

// [\{-\~\[-\` -\&\(-\+\:-\@\/]: ASCII punctuation without ' , - .
bool is_symbol(char c) {
  return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') ||
         (c >= '(' && c <= '+') || (c >= ':' && c <= '@') || c == '/';
}

std::string symbols_apart(std::string_view text) {
  std::string apart;
  for (const char c : text) {
    if (is_symbol(c)) {
      apart.append({' ', c, ' '});
    } else {
      apart += c;
    }
  }
  return apart;
}

// Inserts the given texts before, between and after the two bytes of each pair that matches `first` and
// `second`. Goes from left to right without overlaps, as a regular expression does.
template <typename First, typename Second>
std::string replace_pairs(std::string_view text, First first, Second second, std::string_view before,
                          std::string_view between, std::string_view after) {
  std::string replaced;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i + 1 < text.size() && first(text[i]) && second(text[i + 1])) {
      replaced.append(before).append(1, text[i]).append(between).append(1, text[i + 1]).append(after);
      ++i;
    } else {
      replaced += text[i];
    }
  }
  return replaced;
}

// The part of mteval-v13a.pl that depends on the language, here for Western languages.
Tokens split_western(std::string_view line) {
  std::string text = symbols_apart(line);
  text = replace_pairs(text, is_not_digit, is_point_or_comma, "", " ", " ");
  text = replace_pairs(text, is_point_or_comma, is_not_digit, " ", " ", "");
  text = replace_pairs(text, is_digit, is_dash, "", " ", " ");
  return split_at_spaces(text);
}

Tokens split_13a(std::string_view line) {
  std::string text(line);
  replace_all(text, "<skipped>", "");
  replace_all(text, "-\n", "");
  replace_all(text, "\n", " ");
  replace_all(text, "&quot;", "\"");
  replace_all(text, "&amp;", "&");
  replace_all(text, "&lt;", "<");
  replace_all(text, "&gt;", ">");
  return split_western(" " + text + " ");
}

// Reproduces a bug of sacreBLEU: its '\u20000' and '\u2f800' are parsed as four digits and a "0", so that
// U+2001 to U+2A6D count as Chinese and Extension B does not.
bool is_chinese(char32_t value) {
  constexpr std::array<std::pair<char32_t, char32_t>, 14> ranges{{{0x2001, 0x2A6D},
                                                                  {0x2E80, 0x2FDF},
                                                                  {0x2FF0, 0x303F},
                                                                  {0x3100, 0x312F},
                                                                  {0x31A0, 0x31EF},
                                                                  {0x3200, 0x33FF},
                                                                  {0x3400, 0x4DB5},
                                                                  {0x4E00, 0x9FBB},
                                                                  {0xF900, 0xFA2D},
                                                                  {0xFA30, 0xFA6A},
                                                                  {0xFA70, 0xFAD9},
                                                                  {0xFE10, 0xFE1F},
                                                                  {0xFE30, 0xFE4F},
                                                                  {0xFF00, 0xFFEF}}};
  return std::ranges::any_of(
      ranges, [&](const auto& range) { return value >= range.first && value <= range.second; });
}

Tokens split_chinese(std::string_view line) {
  std::string text;
  for (const auto& [value, bytes] : code_points(line)) {
    if (is_chinese(value)) {
      text.append(" ").append(bytes).append(" ");
    } else {
      text += bytes;
    }
  }
  return split_western(text);
}

}  // namespace

std::string_view bleu_tokeniser_name(BleuTokeniser tokeniser) {
  return std::ranges::find(names, tokeniser, &decltype(names)::value_type::second)->first;
}

BleuTokeniser bleu_tokeniser(std::string_view name) {
  const auto found = std::ranges::find(names, name, &decltype(names)::value_type::first);
  if (found == names.end()) {
    fail("bleu_tokeniser: unknown tokeniser '", name, "'; available: 13a, none, char, zh");
  }
  return found->second;
}

std::vector<std::string> bleu_tokens(std::string_view line, BleuTokeniser tokeniser) {
  line = trim(line);
  switch (tokeniser) {
    case BleuTokeniser::mteval_13a:
      return split_13a(line);
    case BleuTokeniser::none:
      return split_at_spaces(line);
    case BleuTokeniser::characters:
      return split_characters(line);
    case BleuTokeniser::chinese:
      return split_chinese(line);
  }
  fail("bleu_tokens: unknown tokeniser; use a value of BleuTokeniser");
}

}  // namespace gradus::data
