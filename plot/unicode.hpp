#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gradus::plot {

/// The code points of a UTF-8 text; every byte that is not valid UTF-8 gives U+FFFD.
std::vector<char32_t> decode(std::string_view text);

void append_utf8(std::string& out, char32_t code);

/// Columns that a terminal gives the character: 0 (combining), 1, or 2 (Chinese, Japanese, Korean, emoji).
int columns_of(char32_t code);

/// Columns that a terminal gives the text.
int columns_of(std::string_view text);

/// The text on one line: valid UTF-8, with spaces for tabs and line ends and U+FFFD for other control
/// characters, so that a label cannot send a terminal escape codes.
std::string one_line(std::string_view text);

/// one_line(text) in at most `columns` columns, ending in … if something was cut.
std::string shorten(std::string_view text, int columns);

}  // namespace gradus::plot
