#pragma once

#include <gradus/data/sentence_pair.hpp>

#include <filesystem>
#include <string>
#include <vector>

/// \file
/// Sentences and their translations, from files of UTF-8. A byte order mark and CR LF are accepted. Errors
/// name the file and, where there is one, the line and the byte in it, counted from 1.

#pragma GCC visibility push(default)
namespace gradus::data {

/// The lines of a file, blank ones too.
/// \throws gradus::Error if the file cannot be read or is not UTF-8.
std::vector<std::string> read_lines(const std::filesystem::path& path);

/// Pairs of the form `source TAB target`, one a line, as Tatoeba's and the Anki project's `fra.txt` has them.
/// What follows a second tab is ignored; blank lines are skipped.
/// \throws gradus::Error if the file cannot be read or is not UTF-8, a line has no tab or nothing on one of
///         its sides, or there is no pair.
std::vector<SentencePair> read_tab_separated(const std::filesystem::path& path);

/// Pairs from two files, of which line i of one translates line i of the other. A pair with a blank side is
/// skipped.
/// \throws gradus::Error if a file cannot be read or is not UTF-8, they have different numbers of lines, or
///         there is no pair.
std::vector<SentencePair> read_parallel(const std::filesystem::path& source,
                                        const std::filesystem::path& target);

}  // namespace gradus::data
#pragma GCC visibility pop
