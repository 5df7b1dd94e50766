#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace gradus::data {

// The content of a text file or a pipe, or of standard input for the path "-", decompressed if it is in
// gzip's format. Throws if it cannot be read, or its compressed data is damaged or cut off.
std::string content_of(std::string_view operation, const std::filesystem::path& path);

// The first bytes of gzip's format.
inline constexpr std::string_view gzip_magic = "\x1f\x8b";

// Decompresses bytes in gzip's format. `shown` names their source in messages. Without zlib, always an error.
std::string decompressed(std::string_view operation, std::string_view shown, std::string_view bytes);

}  // namespace gradus::data
