#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gradus::data {

// Splits a line by the rules of TokenUnit::word or, if `han_apart`, of TokenUnit::chinese.
std::vector<std::u32string> split_words(std::u32string_view line, bool han_apart);

// True for an elided French word, such as l' and qu'.
bool is_elision(std::u32string_view token);

}  // namespace gradus::data
