#pragma once

#include <cstdint>
#include <string_view>

namespace gradus::data {

// One character of a text: its number and the bytes it was read from.
struct CodePoint {
  char32_t value;
  std::string_view bytes;
};

// The first character of a text that is not empty. A byte that is no UTF-8 is U+FFFD.
CodePoint first_code_point(std::string_view text);

}  // namespace gradus::data
