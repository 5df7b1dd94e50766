#include "text/unicode.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace gradus::plot {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

struct Range {
  char32_t first, last;
};

// Combining marks of common scripts, and invisible format characters. Sorted.
constexpr Range kZeroWidth[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489},   {0x0591, 0x05BD}, {0x0610, 0x061A}, {0x064B, 0x065F},
    {0x06D6, 0x06DC}, {0x093C, 0x093C},   {0x094D, 0x094D}, {0x0E31, 0x0E31}, {0x0E34, 0x0E3A},
    {0x0E47, 0x0E4E}, {0x1AB0, 0x1AFF},   {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x202A, 0x202E},
    {0x2060, 0x206F}, {0x20D0, 0x20FF},   {0x3099, 0x309A}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F},
    {0xFEFF, 0xFEFF}, {0xE0100, 0xE01EF},
};

// Characters of Unicode's East Asian classes Wide and Fullwidth, and emoji. Sorted.
constexpr Range kWide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2329, 0x232A},   {0x23E9, 0x23EC}, {0x25FD, 0x25FE},
    {0x2614, 0x2615},   {0x26AA, 0x26AB},   {0x2705, 0x2705},   {0x274C, 0x274C}, {0x2E80, 0x303E},
    {0x3041, 0x33FF},   {0x3400, 0x4DBF},   {0x4E00, 0xA4CF},   {0xA960, 0xA97F}, {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6}, {0x1F300, 0x1F64F},
    {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD},
};

template <std::size_t N>
bool contains(const Range (&ranges)[N], char32_t code) {
  const auto* range =
      std::lower_bound(ranges, ranges + N, code, [](const Range& r, char32_t c) { return r.last < c; });
  return range != ranges + N && range->first <= code;
}

bool is_control(char32_t code) { return code < 0x20 || (code >= 0x7F && code < 0xA0); }

}  // namespace

std::vector<char32_t> decode(std::string_view text) {
  std::vector<char32_t> codes;
  codes.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    constexpr std::array<char32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
    constexpr std::array<unsigned, 5> kLeadBits = {0, 0x7F, 0x1F, 0x0F, 0x07};
    char32_t code = lead & kLeadBits[length];
    bool valid = (lead < 0x80 || (lead >= 0xC2 && lead <= 0xF4)) && i + length <= text.size();
    for (std::size_t k = 1; valid && k < length; ++k) {
      const auto byte = static_cast<unsigned char>(text[i + k]);
      valid = (byte & 0xC0) == 0x80;
      code = code << 6 | (byte & 0x3Fu);
    }
    valid = valid && code >= kSmallest[length] && code <= 0x10FFFF && !(code >= 0xD800 && code <= 0xDFFF);
    codes.push_back(valid ? code : kReplacement);
    i += valid ? length : 1;
  }
  return codes;
}

void append_utf8(std::string& out, char32_t code) {
  const auto put = [&out](char32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xC0 | code >> 6);
  } else {
    if (code < 0x10000) {
      put(0xE0 | code >> 12);
    } else {
      put(0xF0 | code >> 18);
      put(0x80 | (code >> 12 & 0x3F));
    }
    put(0x80 | (code >> 6 & 0x3F));
  }
  put(0x80 | (code & 0x3F));
}

int columns_of(char32_t code) { return contains(kZeroWidth, code) ? 0 : contains(kWide, code) ? 2 : 1; }

int columns_of(std::string_view text) {
  int columns = 0;
  for (const char32_t code : decode(text)) columns += columns_of(code);
  return columns;
}

std::string one_line(std::string_view text) {
  std::string out;
  for (const char32_t code : decode(text)) {
    const bool space = code == '\t' || code == '\n' || code == '\r';
    append_utf8(out, space ? U' ' : is_control(code) ? kReplacement : code);
  }
  return out;
}

std::string shorten(std::string_view text, int columns) {
  std::string line = one_line(text);
  if (columns_of(line) <= columns) return line;
  if (columns < 1) return {};
  std::string out;
  int used = 1;  // one column for the ellipsis
  for (const char32_t code : decode(line)) {
    used += columns_of(code);
    if (used > columns) break;
    append_utf8(out, code);
  }
  return out + "…";
}

}  // namespace gradus::plot
