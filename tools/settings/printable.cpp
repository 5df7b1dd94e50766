#include "settings/printable.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace gradus::tools {
namespace {

constexpr bool is_continuation(char byte) { return (byte & 0xC0) == 0x80; }

// The number of bytes of the first UTF-8 character; 0 if the text does not begin with one. Also accepts
// surrogates, numbers above U+10FFFF, and overlong forms of three or four bytes. This is safe: a conforming
// UTF-8 decoder rejects an overlong form, so such a form cannot act as a control character.
std::size_t length_of_first(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xC2 ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  if (length == 0 || length > text.size()) return 0;
  return std::ranges::all_of(text.substr(1, length - 1), is_continuation) ? length : 0;
}

void append_hex(std::string& out, std::string_view prefix, char byte) {
  constexpr std::string_view hex = "0123456789abcdef";
  const auto value = static_cast<unsigned char>(byte);
  out.append(prefix) += hex[value / 16];
  out += hex[value % 16];
}

// The code point of a character of one to three bytes; 0 for a longer one.
std::uint32_t code_point(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  switch (character.size()) {
    case 1:
      return byte(0);
    case 2:
      return (byte(0) & 0x1FU) << 6U | (byte(1) & 0x3FU);
    case 3:
      return (byte(0) & 0x0FU) << 12U | (byte(1) & 0x3FU) << 6U | (byte(2) & 0x3FU);
    default:
      return 0;
  }
}

// C0, DEL, C1, and the characters that change the direction of the text after them.
bool is_control(std::uint32_t code) {
  return code < 0x20 || (0x7F <= code && code < 0xA0) || code == 0x061C || code == 0x200E || code == 0x200F ||
         (0x202A <= code && code <= 0x202E) || (0x2066 <= code && code <= 0x2069);
}

}  // namespace

std::string printable(std::string_view text, std::string_view kept) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = length_of_first(text);
    const std::string_view first = text.substr(0, std::max<std::size_t>(length, 1));
    if (length == 0) {
      append_hex(out, "\\x", first.front());
    } else if (length < 4 && is_control(code_point(first)) && kept.find(first) == kept.npos) {
      const std::uint32_t code = code_point(first);
      append_hex(out, "\\u", static_cast<char>(code >> 8U));
      append_hex(out, "", static_cast<char>(code));
    } else {
      out += first;
    }
    text.remove_prefix(first.size());
  }
  return out;
}

std::string excerpt(std::string_view text) {
  constexpr std::size_t longest = 100;
  if (text.size() <= longest) return printable(text);
  std::size_t end = longest;
  while (end > 0 && is_continuation(text[end])) --end;  // not inside a character
  return printable(text.substr(0, end)) + "…";
}

}  // namespace gradus::tools
