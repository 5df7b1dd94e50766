#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gradus::data {

// "<operation>: '<source_name>' line N", with which every message about a text's line begins.
std::string at_line(std::string_view operation, std::string_view source_name, std::size_t line);

// The lines of a text, checked to be UTF-8. They end in LF or CR LF, the last one perhaps in nothing; a byte
// order mark before the first is skipped.
std::vector<std::string_view> split_lines(std::string_view operation, std::string_view source_name,
                                          std::string_view text);

// The same of a file.
std::vector<std::string> read_lines(std::string_view operation, const std::filesystem::path& path);

}  // namespace gradus::data
