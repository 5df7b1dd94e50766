#pragma once

#include <string_view>
#include <vector>

namespace gradus::data {

// One character of a text: its number, and the bytes it was read from.
struct CodePoint {
  char32_t value;
  std::string_view bytes;
};

// The characters of UTF-8, whose bytes are views of the text. A byte that is no UTF-8 reads as U+FFFD.
std::vector<CodePoint> code_points(std::string_view text);

}  // namespace gradus::data
