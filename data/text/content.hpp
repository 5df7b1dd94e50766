#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <streambuf>
#include <string>
#include <string_view>

namespace gradus::data {

// "standard input" for the path "-", else the path in quotes. For messages.
std::string shown(const std::filesystem::path& path);

// Opens a text file or a pipe, or standard input for the path "-". The result reads the content as it
// arrives, decompressed if it is in gzip's format. Reading throws Error if the source cannot be read, or its
// compressed data is damaged or cut off. Folders are refused, and devices, whose
// content could be endless.
std::unique_ptr<std::streambuf> open_content(std::string_view operation, const std::filesystem::path& path);

// Opens a path by open_content(), and reads the whole content. Throws if the content has more than `most`
// bytes.
std::string content_of(std::string_view operation, const std::filesystem::path& path, std::size_t most);

}  // namespace gradus::data
