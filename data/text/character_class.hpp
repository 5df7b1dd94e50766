#pragma once

#include <string_view>

namespace gradus::data {

bool one_of(char32_t c, std::u32string_view set);

// True for white space, including zero-width spaces, and for control characters.
bool is_space(char32_t c);

// True for punctuation and symbols, except connectors (_).
bool is_mark(char32_t c);

// True for characters that modify the previous one: accents, variation selectors, joiners.
bool is_extension(char32_t c);

bool is_digit(char32_t c);
bool is_apostrophe(char32_t c);
bool is_han(char32_t c);

// True for marks that no space follows: ( [ “ ¿
bool is_opening(char32_t c);
// True for marks that no space precedes: ) ] ” , . !
bool is_closing(char32_t c);

bool is_currency(char32_t c);

// True for Chinese characters and their punctuation, which are written without spaces.
bool is_solid(char32_t c);

char32_t to_lower(char32_t c);

}  // namespace gradus::data
