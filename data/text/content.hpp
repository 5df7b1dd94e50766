#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace gradus::data {

// Reads a text file, a pipe or, for the path "-", standard input. Decompresses gzip's format. Throws if the
// input cannot be read, or if its compressed data is damaged or cut off.
std::string content_of(std::string_view operation, const std::filesystem::path& path);

// The first bytes of gzip's format.
inline constexpr std::string_view gzip_magic = "\x1f\x8b";

// Decompresses bytes in gzip's format. `shown` names their origin in messages. Without zlib, always throws.
std::string decompressed(std::string_view operation, std::string_view shown, std::string_view bytes);

}  // namespace gradus::data
