#include <gradus/data/bleu_tokenisers.hpp>
#include <gradus/data/utf8.hpp>
#include <gradus/find_row.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utf8proc.h>
#include <utility>

#include "check.hpp"
#include "metrics/code_points.hpp"
#include "metrics/white_space.hpp"

namespace gradus::data {
namespace {

using Tokens = std::vector<std::string>;

constexpr std::array<std::pair<std::string_view, BleuTokeniser>, 5> names{{
    {"13a", BleuTokeniser::mteval_13a},
    {"none", BleuTokeniser::none},
    {"char", BleuTokeniser::characters},
    {"zh", BleuTokeniser::chinese},
    {"intl", BleuTokeniser::international},
}};

Tokens split_at_spaces(std::string_view line) {
  Tokens tokens;
  bool inside = false;
  for (const auto& [value, bytes] : code_points(line)) {
    const bool space = is_white_space(value);
    if (!space && !inside) tokens.emplace_back();
    if (!space) tokens.back() += bytes;
    inside = !space;
  }
  return tokens;
}

Tokens split_characters(std::string_view line) {
  Tokens tokens;
  for (const auto& [value, bytes] : code_points(line)) {
    if (!is_white_space(value)) tokens.emplace_back(bytes);
  }
  return tokens;
}

std::string_view trim(std::string_view line) {
  const std::vector<CodePoint> points = code_points(line);
  const auto is_ink = [](const CodePoint& point) { return !is_white_space(point.value); };
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

// The regular expression [\{-\~\[-\` -\&\(-\+\:-\@\/]: the space, and ASCII punctuation except ' , - and the
// full stop.
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

// For each pair of bytes that matches `first` and `second`, inserts the given texts before, between and after
// the two bytes. Goes from left to right without overlaps, as a regular expression does.
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

// The language-dependent part of mteval-v13a.pl, for Western languages.
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

// Reproduces a bug of sacreBLEU, which writes Extension B as '\u20000' to '\u2a6d6'. Python takes only four
// digits: these strings are U+2000 and a "0", U+2A6D and a "6". Therefore U+2001 to U+2A6D count as Chinese,
// and Extension B does not.
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

enum class Class { number, punctuation, symbol, other };

Class class_of(char32_t value) {
  const utf8proc_category_t kind = utf8proc_category(static_cast<utf8proc_int32_t>(value));
  if (UTF8PROC_CATEGORY_ND <= kind && kind <= UTF8PROC_CATEGORY_NO) return Class::number;
  if (UTF8PROC_CATEGORY_PC <= kind && kind <= UTF8PROC_CATEGORY_PO) return Class::punctuation;
  if (UTF8PROC_CATEGORY_SM <= kind && kind <= UTF8PROC_CATEGORY_SO) return Class::symbol;
  return Class::other;
}

bool is_punctuation(char32_t value) { return class_of(value) == Class::punctuation; }
bool is_not_number(char32_t value) { return class_of(value) != Class::number; }

// In each pair that matches `first` and `second`, encloses the punctuation mark in spaces. The mark is the
// second character if `second_is_mark`, else the first. Goes from left to right without overlaps, as a
// regular expression does.
template <typename First, typename Second>
std::u32string marks_apart(std::u32string_view text, First first, Second second, bool second_is_mark) {
  std::u32string apart;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i + 1 == text.size() || !first(text[i]) || !second(text[i + 1])) {
      apart += text[i];
    } else if (second_is_mark) {
      apart.append({text[i], U' ', text[++i], U' '});
    } else {
      apart.append({U' ', text[i], U' ', text[i + 1]});
      ++i;
    }
  }
  return apart;
}

// Like mteval-v14.pl with --international-tokenization: a punctuation mark is a token if a character other
// than a number (\p{N}) precedes or follows it. Symbols are always tokens.
Tokens split_international(std::string_view line) {
  std::u32string text;
  for (const CodePoint& point : code_points(line)) text += point.value;
  text = marks_apart(text, is_not_number, is_punctuation, true);
  text = marks_apart(text, is_punctuation, is_not_number, false);
  std::u32string apart;
  for (const char32_t value : text) {
    if (class_of(value) == Class::symbol) {
      apart.append({U' ', value, U' '});
    } else {
      apart += value;
    }
  }
  return split_at_spaces(encode_utf8(apart));
}

}  // namespace

std::string_view bleu_tokeniser_name(BleuTokeniser tokeniser) {
  return std::ranges::find(names, tokeniser, &decltype(names)::value_type::second)->first;
}

BleuTokeniser bleu_tokeniser(std::string_view name) {
  return find_row("bleu_tokeniser", "tokeniser", name, names, &decltype(names)::value_type::first).second;
}

std::vector<std::string> bleu_tokens(std::string_view line, BleuTokeniser tokeniser) {
  const std::string_view start = line;
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
    // Keeps leading spaces, because a space before the first mark matters.
    case BleuTokeniser::international:
      return split_international({start.begin(), line.empty() ? start.begin() : line.end()});
  }
  fail("bleu_tokens: unknown tokeniser; use a value of BleuTokeniser");
}

}  // namespace gradus::data
