#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gradus::data {

// The tokens of a line by the rule in tokeniser.hpp; with `han_apart`, by that of TokenUnit::chinese.
std::vector<std::u32string> split_words(std::u32string_view line, bool han_apart);

// Whether a token is what French writes of a word before a vowel: l', qu', …
bool is_elision(std::u32string_view token);

}  // namespace gradus::data
