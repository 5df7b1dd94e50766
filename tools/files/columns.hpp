#pragma once

#include <cstdint>
#include <string>

namespace gradus::tools {

/// The note about a file of pairs with columns after the second, which are not read: the files of Tatoeba and
/// Anki name the authors there. @param name of the file; empty or "-" for standard input
std::string note_of_columns(const std::string& name, std::int64_t lines);

/// Writes this note to standard error if `lines`, the number of lines with further columns, is not 0.
void note_columns(const std::string& name, std::int64_t lines);

}  // namespace gradus::tools
