#pragma once

#include <string>
#include <string_view>

namespace gradus::tools {

/// The text with control characters written as \u001b, and bytes that are not UTF-8 as \x9b. This prevents
/// names and file contents from controlling the terminal. Also escapes the characters that change the
/// direction of text, such as U+202E, which could make one name look like another. The command prints all
/// texts in this form, except data (translations, pairs) to a file or a pipe, see for_output().
/// @param kept control characters that stay, such as "\n"
std::string printable(std::string_view text, std::string_view kept = "");

/// printable() of at most the first 100 bytes, followed by "…" if the text is longer. For values in messages,
/// because a value may be a whole file.
std::string excerpt(std::string_view text);

}  // namespace gradus::tools
