#pragma once

#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace gradus::data {

/// What some programs write before a text in UTF-8, and no reader takes for a part of it.
inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// Throws unless the text is UTF-8 as RFC 3629 has it: no byte missing or astray, no overlong form, no
/// surrogate, nothing above U+10FFFF.
/// \param where  begins the message, which goes on with the first wrong byte, counted from 1.
void check_utf8(std::string_view where, std::string_view text);

/// The code points of a text.
/// \throws gradus::Error as `check_utf8` does.
std::u32string decode_utf8(std::string_view where, std::string_view text);

/// The text of code points, none of which may be a surrogate or above U+10FFFF.
std::string encode_utf8(std::u32string_view code_points);

}  // namespace gradus::data
#pragma GCC visibility pop
