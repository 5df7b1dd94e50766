#pragma once

#include <gradus/data/sentence_pair.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// Readers of parallel text in UTF-8. A file may be compressed by gzip. Pipes can be read, and "-" is
/// standard input. A byte order mark and CR LF are accepted. Errors name the file and, if known, the line and
/// byte, both counted from 1. Because a pipe may be endless, a line has at most TextLines::longest bytes, and
/// by default, a text takes at most half of the machine's memory.

#pragma GCC visibility push(default)
namespace gradus::data {

/// The lines of a file, including blank ones.
/// @param most_memory  bytes of memory that the lines may take; 0 for half of the machine's memory
/// @throws gradus::Error if the file cannot be read, is damaged or is not UTF-8, or a line or the text is too
///         long.
std::vector<std::string> read_lines(const std::filesystem::path& path, std::size_t most_memory = 0);

/// The first two columns of a line. Tabs separate columns.
struct Columns {
  std::string_view first;
  std::optional<std::string_view> second;  ///< none without a tab
  bool has_more = false;                   ///< columns after the second
};
Columns columns_of(std::string_view line);

/// Reads `source TAB target` lines, as in Tatoeba's and Anki's `fra.txt`. Ignores further columns, in which
/// Tatoeba and Anki name the authors. Skips blank lines.
/// @param with_more  if not null, receives the number of pairs with further columns
/// @throws gradus::Error as read_lines() does, if a line has no tab or a blank side, or if there are no
///         pairs.
std::vector<SentencePair> read_tab_separated(const std::filesystem::path& path,
                                             std::int64_t* with_more = nullptr);

/// Reads pairs from two files: line i of `target` translates line i of `source`. Pairs with a blank side are
/// skipped.
/// @throws gradus::Error as read_lines() does, if the numbers of lines differ, or if there are no pairs.
std::vector<SentencePair> read_parallel(const std::filesystem::path& source,
                                        const std::filesystem::path& target);

}  // namespace gradus::data
#pragma GCC visibility pop
