#pragma once

#include <cstdint>
#include <string>

namespace gradus::tools {

/// A note that only the first two columns of a file of pairs are read. (Files of Tatoeba and Anki name the
/// authors in further columns.) @param name the file's name; empty or "-" for standard input
std::string note_of_columns(const std::string& name, std::int64_t lines);

/// Writes note_of_columns() to standard error, unless `lines`, the number of lines with more columns, is 0.
void note_columns(const std::string& name, std::int64_t lines);

}  // namespace gradus::tools
