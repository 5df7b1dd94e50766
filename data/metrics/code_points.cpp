#include "metrics/code_points.hpp"

#include <algorithm>
#include <cstddef>

namespace gradus::data {
namespace {

constexpr char32_t replacement = 0xFFFD;

// The length in bytes of a character that begins with this byte; 0 for a continuation byte or an invalid
// byte.
std::size_t length_of(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xF0 && first < 0xF5) return 4;
  if (first >= 0xE0 && first < 0xF0) return 3;
  if (first >= 0xC2 && first < 0xE0) return 2;
  return 0;
}

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// The first code point of a text, which must not be empty.
CodePoint first_code_point(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = length_of(first);
  if (length == 1) return {first, text.substr(0, 1)};
  if (length == 0 || length > text.size() || !std::ranges::all_of(text.substr(1, length - 1), continues)) {
    return {replacement, text.substr(0, 1)};
  }
  char32_t value = first & (0xFF >> (length + 1));
  for (const char byte : text.substr(1, length - 1)) {
    value = value << 6 | (static_cast<unsigned char>(byte) & 0x3F);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};  // of each length
  const bool is_surrogate = value >= 0xD800 && value < 0xE000;
  if (value < least[length] || is_surrogate || value > 0x10FFFF) return {replacement, text.substr(0, 1)};
  return {value, text.substr(0, length)};
}

}  // namespace

std::vector<CodePoint> code_points(std::string_view text) {
  std::vector<CodePoint> result;
  while (!text.empty()) {
    result.push_back(first_code_point(text));
    text.remove_prefix(result.back().bytes.size());
  }
  return result;
}

}  // namespace gradus::data
