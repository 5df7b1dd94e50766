#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gradus::data {

// The lower case of character i of a text. Follows the Unicode Standard's rules for whole texts (section
// 3.13), like Python's str.lower(): İ becomes two characters, and Σ becomes ς at the end of a word.
std::u32string lower_case_at(std::u32string_view text, std::size_t i);

std::u32string lower_case(std::u32string_view text);

}  // namespace gradus::data
