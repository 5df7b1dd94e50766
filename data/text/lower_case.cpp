#include "text/lower_case.hpp"

#include <algorithm>
#include <utf8proc.h>

#include "text/character_class.hpp"

namespace gradus::data {
namespace {

constexpr char32_t capital_dotted_i = U'\u0130', capital_sigma = U'\u03a3', final_sigma = U'\u03c2';

utf8proc_category_t kind_of(char32_t c) { return utf8proc_category(static_cast<utf8proc_int32_t>(c)); }

bool within(char32_t c, char32_t first, char32_t last) { return first <= c && c <= last; }

// Unicode's property Case_Ignorable: marks, format characters, modifiers, and signs within words.
bool is_ignored(char32_t c) {
  switch (kind_of(c)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK:
      return true;
    default:
      return one_of(
          c, U"'.:\u00b7\u0387\u055f\u05f4\u2018\u2019\u2024\u2027\ufe13\ufe52\ufe55\uff07\uff0e\uff1a");
  }
}

// Unicode's property Cased, for characters that are not Case_Ignorable.
bool is_cased(char32_t c) {
  switch (kind_of(c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
      return true;
    default:
      return c == U'ª' || c == U'º' || within(c, 0x2160, 0x217f) || within(c, 0x24b6, 0x24e9) ||
             within(c, 0x1f130, 0x1f149) || within(c, 0x1f150, 0x1f169) || within(c, 0x1f170, 0x1f189);
  }
}

// True if the first character that is not Case_Ignorable is Cased.
bool meets_letter(auto first, auto last) {
  const auto found = std::find_if_not(first, last, is_ignored);
  return found != last && is_cased(*found);
}

}  // namespace

std::u32string lower_case_at(std::u32string_view text, std::size_t i) {
  const char32_t c = text[i];
  if (c == capital_dotted_i) return U"i\u0307";
  if (c == capital_sigma) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    const bool ends_word =
        meets_letter(text.rend() - at, text.rend()) && !meets_letter(text.begin() + at + 1, text.end());
    if (ends_word) return {final_sigma};
  }
  return {to_lower(c)};
}

std::u32string lower_case(std::u32string_view text) {
  std::u32string lower;
  for (std::size_t i = 0; i < text.size(); ++i) lower += lower_case_at(text, i);
  return lower;
}

}  // namespace gradus::data
