// The functions of utf8proc that the tokenisers call. Debian's package has no source to compile, but every
// browser has the same tables: play/unicode.js reads them.

#include <cstddef>
#include <cstdlib>
#include <utf8proc.h>

extern "C" {

[[clang::import_module("unicode"), clang::import_name("category")]] int host_category(int code_point);
[[clang::import_module("unicode"), clang::import_name("lower")]] int host_lower(int code_point);
// Converts the text to NFKC, and returns the number of bytes. host_normalised() then writes these bytes.
[[clang::import_module("unicode"), clang::import_name("normalise")]] int host_normalise(const void* text,
                                                                                        std::size_t bytes);
[[clang::import_module("unicode"), clang::import_name("normalised")]] void host_normalised(void* to);

utf8proc_category_t utf8proc_category(utf8proc_int32_t c) {
  return static_cast<utf8proc_category_t>(host_category(c));
}

utf8proc_int32_t utf8proc_tolower(utf8proc_int32_t c) { return host_lower(c); }

// All characters get combining class 0, so the tokeniser sorts no marks. The browser sorts them itself.
const utf8proc_property_t* utf8proc_get_property(utf8proc_int32_t) {
  static const utf8proc_property_t property{};
  return &property;
}

// Ignores the options: the tokenisers always ask for NFKC.
utf8proc_ssize_t utf8proc_map(const utf8proc_uint8_t* text, utf8proc_ssize_t bytes, utf8proc_uint8_t** to,
                              utf8proc_option_t) {
  const int size = host_normalise(text, static_cast<std::size_t>(bytes));
  *to = static_cast<utf8proc_uint8_t*>(std::malloc(static_cast<std::size_t>(size) + 1));
  if (*to == nullptr) return UTF8PROC_ERROR_NOMEM;
  host_normalised(*to);
  return size;
}

utf8proc_ssize_t utf8proc_iterate(const utf8proc_uint8_t* text, utf8proc_ssize_t bytes,
                                  utf8proc_int32_t* to) {
  *to = -1;
  if (bytes == 0) return 0;
  const utf8proc_ssize_t length = text[0] < 0x80 ? 1 : text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;
  const bool starts = text[0] < 0x80 || (text[0] >= 0xc2 && text[0] < 0xf5);
  if (!starts || length > bytes) return UTF8PROC_ERROR_INVALIDUTF8;
  utf8proc_int32_t c = length == 1 ? text[0] : text[0] & (0x7f >> length);
  for (utf8proc_ssize_t i = 1; i < length; ++i) {
    if ((text[i] & 0xc0) != 0x80) return UTF8PROC_ERROR_INVALIDUTF8;
    c = c << 6 | (text[i] & 0x3f);
  }
  constexpr utf8proc_int32_t least[]{0, 0, 0x80, 0x800, 0x10000};
  if (c < least[length] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return UTF8PROC_ERROR_INVALIDUTF8;
  *to = c;
  return length;
}

utf8proc_ssize_t utf8proc_encode_char(utf8proc_int32_t c, utf8proc_uint8_t* to) {
  if (c < 0 || c > 0x10ffff) return 0;
  if (c < 0x80) {
    to[0] = static_cast<utf8proc_uint8_t>(c);
    return 1;
  }
  const int length = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  for (int i = length - 1; i > 0; --i, c >>= 6) to[i] = static_cast<utf8proc_uint8_t>(0x80 | (c & 0x3f));
  to[0] = static_cast<utf8proc_uint8_t>(0xf00 >> length | c);
  return length;
}

}  // extern "C"
