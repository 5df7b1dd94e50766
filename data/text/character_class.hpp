#pragma once

#include <string_view>

namespace gradus::data {

bool one_of(char32_t c, std::u32string_view set);

// White space, including zero-width spaces, and control characters.
bool is_space(char32_t c);

// Punctuation and symbols, except connectors (_).
bool is_mark(char32_t c);

// Characters that modify the previous one: accents, variation selectors, joiners.
bool is_extension(char32_t c);

bool is_digit(char32_t c);
bool is_apostrophe(char32_t c);
bool is_han(char32_t c);

// Marks that no space follows: ( [ “ ¿
bool is_opening(char32_t c);
// Marks that follow without a space: ) ] ” , . !
bool is_closing(char32_t c);

bool is_currency(char32_t c);

// Chinese characters and their punctuation, written without spaces.
bool is_solid(char32_t c);

char32_t to_lower(char32_t c);

}  // namespace gradus::data
