#include "serving/spans.hpp"

#include <algorithm>

namespace gradus::tools {
namespace {

// A token that normalisation changed is searched for in at most this many code points.
constexpr std::size_t longest_token = 64;
// The rest of a word is compared with the tokens only if it has at most this many code points, because the
// comparison may be repeated after each token.
constexpr std::size_t longest_end = 1000;

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// The byte offset of each code point, followed by the size of the text.
std::vector<std::size_t> starts_of(std::string_view text) {
  std::vector<std::size_t> starts;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!continues(text[at])) starts.push_back(at);
  }
  starts.push_back(text.size());
  return starts;
}

// The piece of a word without the mark for "the word continues" or "a space precedes".
std::string_view without_mark(std::string_view piece) {
  constexpr std::string_view continued = "@@", space = "\u2581";
  if (piece.size() > continued.size() && piece.ends_with(continued)) piece.remove_suffix(continued.size());
  if (piece.starts_with(space)) piece.remove_prefix(space.size());
  return piece;
}

}  // namespace

std::vector<std::optional<CharacterSpan>> spans_of(std::string_view text, std::span<const std::string> tokens,
                                                   const data::Tokeniser& tokeniser) {
  const std::vector<std::size_t> starts = starts_of(text);
  const std::size_t size = starts.size() - 1;
  const auto pieces_of = [&](std::size_t begin, std::size_t end) {
    return tokeniser.split(text.substr(starts[begin], starts[end] - starts[begin]));
  };
  const auto is = [&](std::size_t begin, std::size_t end, const std::string& token) {
    const auto pieces = pieces_of(begin, end);
    return pieces.size() == 1 && pieces[0] == token;
  };
  const auto is_blank = [&](std::size_t at) { return pieces_of(at, at + 1).empty(); };
  std::vector<std::optional<CharacterSpan>> spans;
  const auto add = [&](std::size_t begin, std::size_t end) {
    spans.emplace_back(CharacterSpan{static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end)});
  };
  std::size_t begin = 0, word_end = 0;
  while (spans.size() < tokens.size()) {
    const auto rest = tokens.subspan(spans.size());
    while (begin < size && is_blank(begin)) ++begin;
    const bool is_whole = begin >= word_end;  // a whole word follows, not the end of one
    word_end = std::max(begin, word_end);
    while (word_end < size && !is_blank(word_end)) ++word_end;
    if (is_whole || word_end - begin <= longest_end) {
      const auto pieces = pieces_of(begin, word_end);
      std::size_t letters = 0;  // total length of the pieces, without marks
      for (const std::string& piece : pieces) letters += starts_of(without_mark(piece)).size() - 1;
      if (word_end > begin && letters == word_end - begin && pieces.size() <= rest.size() &&
          std::ranges::equal(pieces, rest.first(pieces.size()))) {
        for (const std::string& piece : pieces) {
          const std::size_t end = begin + starts_of(without_mark(piece)).size() - 1;
          add(begin, end);
          begin = end;
        }
        continue;
      }
    }
    // The word does not match the tokens, for example because normalisation changed the number of characters.
    // Finds the shortest part of the text that becomes the token.
    const std::size_t last = std::min(size, begin + longest_token);
    std::size_t end = begin + 1;
    while (end <= last && !is(begin, end, rest[0])) ++end;
    if (begin >= size || end > last) {
      spans.emplace_back();
      continue;
    }
    // A combining mark belongs to the character before it.
    while (end < size && !is_blank(end) && is(begin, end + 1, rest[0])) ++end;
    add(begin, end);
    begin = end;
  }
  return spans;
}

std::vector<std::optional<CharacterSpan>> spans_in(std::string_view text,
                                                   std::span<const std::string> tokens) {
  const auto code_points = [&](std::size_t bytes) {
    return std::ranges::count_if(text.substr(0, bytes), [](char byte) { return !continues(byte); });
  };
  std::vector<std::optional<CharacterSpan>> spans;
  std::size_t next = 0;
  for (const std::string& marked : tokens) {
    const std::string_view token = without_mark(marked);
    const std::size_t at = text.find(token, next);
    if (at == std::string_view::npos || token.empty()) {
      spans.emplace_back();
      continue;
    }
    next = at + token.size();
    spans.emplace_back(CharacterSpan{code_points(at), code_points(next)});
  }
  return spans;
}

}  // namespace gradus::tools
