#include <gradus/data/tokeniser.hpp>
#include <gradus/data/utf8.hpp>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <new>
#include <utf8proc.h>
#include <utility>

#include "check.hpp"
#include "text/character_class.hpp"
#include "text/lower_case.hpp"
#include "tokens/byte_pair_symbols.hpp"
#include "tokens/spacing.hpp"
#include "tokens/words.hpp"

namespace gradus::data {
namespace {

constexpr char32_t visible_space = U'\u2581';

bool ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// The combining marks into which c decomposes, if c itself has combining class 0: Unicode 15 has five such
// characters. For any other character, c itself.
std::u32string_view marks_in(const char32_t& c) {
  switch (c) {
    case U'\u0f73':
      return U"\u0f71\u0f72";
    case U'\u0f75':
      return U"\u0f71\u0f74";
    case U'\u0f81':
      return U"\u0f71\u0f80";
    case U'\uff9e':
      return U"\u3099";
    case U'\uff9f':
      return U"\u309a";
    default:
      return {&c, 1};
  }
}

int combining_class(char32_t c) {
  return utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->combining_class;
}

// Sorts each run of combining marks by combining class, as NFKC does. utf8proc sorts with a bubble sort,
// which takes minutes for a run of 100,000 unsorted marks.
std::string sort_marks(std::string_view text) {
  std::u32string sorted;
  for (const char32_t c : decode_utf8("Tokeniser", text)) sorted += marks_in(c);
  const auto is_mark = [](char32_t c) { return combining_class(c) != 0; };
  for (auto begin = sorted.begin(); begin != sorted.end();) {
    const auto run = std::find_if(begin, sorted.end(), is_mark);
    begin = std::find_if_not(run, sorted.end(), is_mark);
    std::ranges::stable_sort(run, begin, {}, combining_class);
  }
  return encode_utf8(sorted);
}

// True if at least 64 bytes in a row are not ASCII. Shorter runs of marks are sorted fast enough.
bool may_have_many_marks(std::string_view text) {
  constexpr int many = 64;
  int bytes = 0;
  for (const char c : text) {
    bytes = static_cast<unsigned char>(c) < 0x80 ? 0 : bytes + 1;
    if (bytes == many) return true;
  }
  return false;
}

std::string to_nfkc(std::string text) {
  if (ascii(text)) return text;
  if (may_have_many_marks(text)) text = sort_marks(text);
  utf8proc_uint8_t* composed = nullptr;
  const utf8proc_ssize_t bytes =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), std::ssize(text), &composed,
                   static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(composed, &std::free);
  if (bytes < 0) throw std::bad_alloc();  // for valid UTF-8, only lack of memory causes an error
  return {composed, composed + bytes};
}

std::u32string collapse_spaces(std::u32string_view text) {
  std::u32string collapsed;
  bool due = false;
  for (const char32_t c : text) {
    if (is_space(c)) {
      due = !collapsed.empty();
    } else {
      if (std::exchange(due, false)) collapsed += U' ';
      collapsed += c;
    }
  }
  return collapsed;
}

std::vector<std::u32string> split_characters(std::u32string_view line) {
  std::vector<std::u32string> tokens;
  for (const char32_t c : line) tokens.emplace_back(1, c == U' ' ? visible_space : c);
  return tokens;
}

std::u32string join_characters(std::span<const std::u32string> tokens) {
  std::u32string text;
  for (const std::u32string& token : tokens) text += token;
  std::ranges::replace(text, visible_space, U' ');
  return text;
}

}  // namespace

Tokeniser::Tokeniser(TokeniserOptions options, std::optional<BytePairEncoding> bpe)
    : options_(options), bpe_(std::move(bpe)) {
  if (bpe_ && options_.unit == TokenUnit::character) {
    fail("Tokeniser: a byte-pair encoding cannot split characters; omit it, or use TokenUnit::word");
  }
}

Tokeniser::Tokeniser(SentencePiece pieces)
    : options_{.lower = false, .nfkc = false}, pieces_(std::move(pieces)) {}

std::string Tokeniser::normalise(std::string_view text) const {
  if (pieces_) return join(split(text));
  check_utf8("Tokeniser", text);
  std::string normal = options_.nfkc ? to_nfkc(std::string(text)) : std::string(text);
  std::u32string code_points = collapse_spaces(decode_utf8("Tokeniser", normal));
  if (options_.lower) code_points = lower_case(code_points);
  normal = encode_utf8(code_points);
  // Normalise again: some letters combine with an accent only in lower case.
  return options_.nfkc && options_.lower ? to_nfkc(std::move(normal)) : normal;
}

std::vector<std::string> Tokeniser::split(std::string_view line) const {
  if (pieces_) return pieces_->split(encode_utf8(collapse_spaces(decode_utf8("Tokeniser", line))));
  const std::u32string text = decode_utf8("Tokeniser", normalise(line));
  std::vector<std::string> tokens;
  for (const std::u32string& token : options_.unit == TokenUnit::character
                                         ? split_characters(text)
                                         : split_words(text, options_.unit == TokenUnit::chinese)) {
    if (bpe_) {
      std::ranges::move(bpe_->split(encode_utf8(token)), std::back_inserter(tokens));
    } else {
      tokens.push_back(encode_utf8(token));
    }
  }
  return tokens;
}

std::string Tokeniser::join(std::span<const std::string> tokens) const {
  if (pieces_) return pieces_->join(tokens);
  std::vector<std::u32string> words;
  bool continues = false;
  for (const std::string& token : tokens) {
    if (!std::exchange(continues, bpe_ && token.ends_with(continued))) words.emplace_back();
    const std::size_t mark = continues ? continued.size() : 0;
    words.back() += decode_utf8("Tokeniser::join", std::string_view(token).substr(0, token.size() - mark));
  }
  if (options_.unit == TokenUnit::character) return encode_utf8(join_characters(words));
  return encode_utf8(
      write_spaced(words, {.french = options_.french_spacing, .solid = options_.unit == TokenUnit::chinese}));
}

}  // namespace gradus::data
