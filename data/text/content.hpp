#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace gradus::data {

// The content of a text file or a pipe, decompressed if it is in gzip's format; of standard input for the
// path "-". Throws if it cannot be read, or its compressed data is damaged or cut off.
std::string content_of(std::string_view operation, const std::filesystem::path& path);

// content_of() for the path of a file or a pipe. Without zlib, a compressed file is an error.
std::string file_content(std::string_view operation, const std::filesystem::path& path);

}  // namespace gradus::data
