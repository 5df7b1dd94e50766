#pragma once

#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace gradus::data {

/// The byte order mark (U+FEFF) in UTF-8, skipped at the start of a text.
inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// Throws unless the text is valid UTF-8 (RFC 3629): without missing or stray bytes, overlong forms,
/// surrogates or code points above U+10FFFF.
/// @param where  prefix of the message. The message states the position of the first invalid byte, counted
/// from 1.
void check_utf8(std::string_view where, std::string_view text);

/// The code points of a text.
/// @throws gradus::Error as `check_utf8` does.
std::u32string decode_utf8(std::string_view where, std::string_view text);

/// Encodes code points, which must not be surrogates or above U+10FFFF.
std::string encode_utf8(std::u32string_view code_points);

}  // namespace gradus::data
#pragma GCC visibility pop
