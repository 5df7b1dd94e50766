#pragma once

#include <gradus/nn/safetensors.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gradus::nn {

inline constexpr std::uint64_t longest_safetensors_header =
    100'000'000;  // the safetensors library's own limit

/// The types in which a file stores values, the narrowest type first. I8 belongs to an Int8Matrix. BF16 is
/// read as f32.
enum class Stored : std::uint8_t { i8, bf16, f32, f64, i64 };

constexpr Stored stored(Dtype dtype) {
  return dtype == Dtype::f32 ? Stored::f32 : dtype == Dtype::f64 ? Stored::f64 : Stored::i64;
}

struct SafetensorsHeader {
  struct Entry {
    std::string name;
    Stored as = Stored::f32;
    Shape shape;
    std::uint64_t begin = 0, end = 0;  // byte range within the values
  };
  std::vector<Entry> entries;  // contiguous, from byte 0
  Metadata metadata;
};

/// Parses and validates the header of a file. @throws Error that names `file`.
SafetensorsHeader parse_safetensors_header(std::string_view text, const std::filesystem::path& file);

/// The header, padded to a multiple of 8 bytes. @throws Error for text that is not UTF-8.
std::string write_safetensors_header(const SafetensorsHeader& header);

/// The name of a dtype in the file, such as "BF16".
const char* name_in_file(Stored as);

/// Text in quotes, truncated for messages.
std::string shown(std::string_view text);

template <class... Parts>
[[noreturn]] void refuse_safetensors(const std::filesystem::path& file, const Parts&... parts) {
  fail("load_safetensors", "'", file.string(), "' ", parts...);
}

}  // namespace gradus::nn
