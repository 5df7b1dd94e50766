#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gradus::data {

// The prefix of messages about a line: "<operation>: <shown(source_name)> line N".
std::string at_line(std::string_view operation, std::string_view source_name, std::size_t line);

// The lines of a text. Lines end in LF or CR LF; the last line may have no end. A leading byte order mark is
// skipped. Throws if a line is not UTF-8.
std::vector<std::string_view> split_lines(std::string_view operation, std::string_view source_name,
                                          std::string_view text);

// The lines of a file. See the public read_lines().
std::vector<std::string> read_lines(std::string_view operation, const std::filesystem::path& path,
                                    std::size_t most_memory = 0);

}  // namespace gradus::data
