#pragma once

#include <cstdint>
#include <string>

namespace gradus::tools {

/// A note that a file of pairs has more than two columns, and that only the first two are read. (Files of
/// Tatoeba and Anki name the authors in further columns.) @param name the file's; or "-", or empty, for stdin
std::string note_of_columns(const std::string& name, std::int64_t lines);

/// Writes note_of_columns() to standard error, unless `lines`, the number of lines with more columns, is 0.
void note_columns(const std::string& name, std::int64_t lines);

}  // namespace gradus::tools
