#include "text/character_class.hpp"

#include <string_view>
#include <utf8proc.h>

namespace gradus::data {
namespace {

utf8proc_category_t category(char32_t c) { return utf8proc_category(static_cast<utf8proc_int32_t>(c)); }

bool in(char32_t c, char32_t first, char32_t last) { return first <= c && c <= last; }

}  // namespace

bool one_of(char32_t c, std::u32string_view set) { return set.find(c) != std::u32string_view::npos; }

bool is_space(char32_t c) {
  switch (category(c)) {
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_CC:
      return true;
    default:
      return c == U'\u200b' || c == U'\ufeff';
  }
}

bool is_mark(char32_t c) {
  const utf8proc_category_t kind = category(c);
  return UTF8PROC_CATEGORY_PD <= kind && kind <= UTF8PROC_CATEGORY_SO;
}

bool is_extension(char32_t c) {
  const utf8proc_category_t kind = category(c);
  return (UTF8PROC_CATEGORY_MN <= kind && kind <= UTF8PROC_CATEGORY_ME) || kind == UTF8PROC_CATEGORY_CF;
}

bool is_digit(char32_t c) { return category(c) == UTF8PROC_CATEGORY_ND; }

bool is_apostrophe(char32_t c) { return c == U'\'' || c == U'\u2019'; }

bool is_han(char32_t c) {
  return in(c, 0x2e80, 0x2fdf) || in(c, 0x3005, 0x3007) || in(c, 0x3400, 0x4dbf) || in(c, 0x4e00, 0x9fff) ||
         in(c, 0xf900, 0xfaff) || in(c, 0x20000, 0x3ffff);
}

bool is_opening(char32_t c) {
  const utf8proc_category_t kind = category(c);
  return kind == UTF8PROC_CATEGORY_PS || kind == UTF8PROC_CATEGORY_PI || one_of(c, U"¿¡");
}

bool is_closing(char32_t c) {
  const utf8proc_category_t kind = category(c);
  return kind == UTF8PROC_CATEGORY_PE || kind == UTF8PROC_CATEGORY_PF || one_of(c, U",.!?;:%‰‽…、。");
}

bool is_currency(char32_t c) { return category(c) == UTF8PROC_CATEGORY_SC; }

bool is_solid(char32_t c) {
  return is_han(c) || in(c, 0x3000, 0x303f) /* 。、「」 */ || in(c, 0xff00, 0xff65) /* full width */ ||
         in(c, 0x201c, 0x201d) /* “” */;
}

char32_t to_lower(char32_t c) {
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
}

}  // namespace gradus::data
