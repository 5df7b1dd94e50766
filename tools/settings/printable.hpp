#pragma once

#include <string>
#include <string_view>

namespace gradus::tools {

/// The text with control characters written as \u001b and bytes that are not UTF-8 as \x9b, so that a name or
/// the content of a file cannot control the terminal. Also escapes the characters that change the direction
/// of the text after them, such as U+202E: a name could show as another one. The command prints everything in
/// this form, except the data itself (translations, pairs) to a file or a pipe, see for_output().
/// @param kept control characters to keep, such as "\n"
std::string printable(std::string_view text, std::string_view kept = "");

/// printable(), cut after at most 100 bytes with "…". For values in messages, because a value may be a whole
/// file.
std::string excerpt(std::string_view text);

}  // namespace gradus::tools
