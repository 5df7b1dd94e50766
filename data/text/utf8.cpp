#include <gradus/data/utf8.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <utf8proc.h>

#include "check.hpp"

namespace gradus::data {
namespace {

// Removes the first code point of a non-empty text, and returns it. If it is invalid, returns std::nullopt
// and removes nothing.
std::optional<char32_t> take_code_point(std::string_view& text) {
  utf8proc_int32_t code_point = -1;
  const utf8proc_ssize_t bytes =
      utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), std::ssize(text), &code_point);
  if (bytes < 1) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(bytes));
  return static_cast<char32_t>(code_point);
}

template <typename Visit>
void for_each_code_point(std::string_view where, std::string_view text, const Visit& visit) {
  for (std::string_view rest = text; !rest.empty();) {
    const std::optional<char32_t> code_point = take_code_point(rest);
    if (!code_point) {
      constexpr std::string_view digits = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(rest.front());
      fail(where, ": byte ", text.size() - rest.size() + 1, " (0x", digits[byte / 16], digits[byte % 16],
           ") is not UTF-8; convert the text, for instance with iconv -t UTF-8");
    }
    visit(*code_point);
  }
}

}  // namespace

void check_utf8(std::string_view where, std::string_view text) {
  for_each_code_point(where, text, [](char32_t) {});
}

std::u32string decode_utf8(std::string_view where, std::string_view text) {
  std::u32string code_points;
  code_points.reserve(text.size());
  for_each_code_point(where, text, [&](char32_t code_point) { code_points += code_point; });
  return code_points;
}

std::string encode_utf8(std::u32string_view code_points) {
  std::string text;
  text.reserve(code_points.size());
  for (const char32_t code_point : code_points) {
    std::array<utf8proc_uint8_t, 4> bytes{};
    const utf8proc_ssize_t count =
        utf8proc_encode_char(static_cast<utf8proc_int32_t>(code_point), bytes.data());
    text.append(bytes.begin(), bytes.begin() + count);
  }
  return text;
}

}  // namespace gradus::data
