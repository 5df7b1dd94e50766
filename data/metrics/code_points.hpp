#pragma once

#include <string_view>
#include <vector>

namespace gradus::data {

// A code point and the bytes it was decoded from.
struct CodePoint {
  char32_t value;
  std::string_view bytes;
};

// The code points of a text. Their `bytes` are views of the text. An invalid byte becomes U+FFFD.
std::vector<CodePoint> code_points(std::string_view text);

}  // namespace gradus::data
