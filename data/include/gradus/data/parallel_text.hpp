#pragma once

#include <gradus/data/sentence_pair.hpp>

#include <filesystem>
#include <string>
#include <vector>

/// \file
/// Readers of parallel text in UTF-8. A file may be compressed by gzip. Pipes can be read, and "-" is
/// standard input. A byte order mark and CR LF are accepted. Errors name the file and, if known, the line and
/// byte, both counted from 1.

#pragma GCC visibility push(default)
namespace gradus::data {

/// The lines of a file, including blank ones.
/// \throws gradus::Error if the file cannot be read, is damaged or is not UTF-8.
std::vector<std::string> read_lines(const std::filesystem::path& path);

/// Reads `source TAB target` lines, as in Tatoeba's and Anki's `fra.txt`. Columns after the second are
/// ignored; blank lines are skipped.
/// \throws gradus::Error if the file cannot be read or is not UTF-8, if a line has no tab or a blank side, or
///         if there are no pairs.
std::vector<SentencePair> read_tab_separated(const std::filesystem::path& path);

/// Reads pairs from two files: line i of `target` translates line i of `source`. Pairs with a blank side are
/// skipped.
/// \throws gradus::Error if a file cannot be read or is not UTF-8, if the numbers of lines differ, or if
///         there are no pairs.
std::vector<SentencePair> read_parallel(const std::filesystem::path& source,
                                        const std::filesystem::path& target);

}  // namespace gradus::data
#pragma GCC visibility pop
