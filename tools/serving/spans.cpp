#include "serving/spans.hpp"

#include <algorithm>

namespace gradus::tools {
namespace {

constexpr std::size_t longest_token = 64;  // code points

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// The byte at which each code point begins, and the size of the text.
std::vector<std::size_t> starts_of(std::string_view text) {
  std::vector<std::size_t> starts;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!continues(text[at])) starts.push_back(at);
  }
  starts.push_back(text.size());
  return starts;
}

}  // namespace

std::vector<std::optional<CharacterSpan>> spans_of(std::string_view text, std::span<const std::string> tokens,
                                                   const data::Tokeniser& tokeniser) {
  const std::vector<std::size_t> starts = starts_of(text);
  const std::size_t size = starts.size() - 1;
  const auto is = [&](std::size_t begin, std::size_t end, const std::string& token) {
    const auto piece = tokeniser.split(text.substr(starts[begin], starts[end] - starts[begin]));
    return piece.size() == 1 && piece[0] == token;
  };
  const auto is_blank = [&](std::size_t at) {
    return tokeniser.split(text.substr(starts[at], starts[at + 1] - starts[at])).empty();
  };
  std::vector<std::optional<CharacterSpan>> spans;
  std::size_t next = 0;
  for (const std::string& token : tokens) {
    std::size_t begin = next;
    while (begin < size && is_blank(begin)) ++begin;
    std::size_t end = begin + 1;
    while (end <= std::min(size, begin + longest_token) && !is(begin, end, token)) ++end;
    if (begin >= size || end > std::min(size, begin + longest_token)) {
      spans.emplace_back();
      continue;
    }
    // A combining mark belongs to the character before it.
    while (end < size && !is_blank(end) && is(begin, end + 1, token)) ++end;
    spans.emplace_back(CharacterSpan{static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end)});
    next = end;
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
  for (const std::string& token : tokens) {
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
