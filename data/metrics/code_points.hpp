#pragma once

#include <string_view>
#include <vector>

namespace gradus::data {

// A code point, and the bytes from which it was decoded.
struct CodePoint {
  char32_t value;
  std::string_view bytes;
};

// The code points of a text, with views of their bytes. A byte that begins no complete character becomes
// U+FFFD. Some overlong forms, surrogates and numbers above U+10FFFF are not detected.
std::vector<CodePoint> code_points(std::string_view text);

}  // namespace gradus::data
