#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gradus::plot {

/// The code points of a UTF-8 text. Every invalid byte becomes U+FFFD.
std::vector<char32_t> decode(std::string_view text);

void append_utf8(std::string& out, char32_t code);

/// Terminal columns of a character: 0 (combining, invisible), 1, or 2 (Chinese, Japanese, Korean, emoji).
int columns_of(char32_t code);

/// Terminal columns of a text.
int columns_of(std::string_view text);

/// The text as one line of valid UTF-8. Tabs and line ends become spaces. Other control characters become
/// U+FFFD, so that no label contains terminal escape codes.
std::string one_line(std::string_view text);

/// one_line(text), truncated to at most `columns` columns, with … at the end if truncated.
std::string shorten(std::string_view text, int columns);

}  // namespace gradus::plot
