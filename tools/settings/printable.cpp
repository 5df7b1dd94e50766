#include "settings/printable.hpp"

#include <algorithm>
#include <cstddef>

namespace gradus::tools {
namespace {

constexpr bool is_continuation(char byte) { return (byte & 0xC0) == 0x80; }

// The number of bytes of the first UTF-8 character; 0 if the text does not begin with one. Accepts surrogates
// and overlong forms of three or four bytes: no UTF-8 decoder reads a control character from them.
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

// True for C0, DEL and C1. In UTF-8, C1 is the byte C2 followed by the character's code.
bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  return first < 0x20 || first == 0x7F || (first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0);
}

}  // namespace

std::string printable(std::string_view text, std::string_view kept) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = length_of_first(text);
    const std::string_view first = text.substr(0, std::max<std::size_t>(length, 1));
    if (length == 0) {
      append_hex(out, "\\x", first.front());
    } else if (is_control(first) && kept.find(first) == kept.npos) {
      append_hex(out, "\\u00", first.back());
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
