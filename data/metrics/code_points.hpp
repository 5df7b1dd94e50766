#pragma once

#include <string_view>
#include <vector>

namespace gradus::data {

// A code point, and the bytes from which it was decoded.
struct CodePoint {
  char32_t value;
  std::string_view bytes;
};

// The code points of a text, with views of their bytes. A byte that begins no valid character becomes
// U+FFFD.
std::vector<CodePoint> code_points(std::string_view text);

}  // namespace gradus::data
