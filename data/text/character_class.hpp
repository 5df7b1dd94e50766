#pragma once

#include <string_view>

namespace gradus::data {

bool one_of(char32_t c, std::u32string_view set);

// White space of any kind, also the one without a width, and control characters.
bool is_space(char32_t c);

// Punctuation and symbols, without what connects the parts of a name (_).
bool is_mark(char32_t c);

// Accents, variation selectors, joiners: what belongs to the character before it.
bool is_extension(char32_t c);

bool is_digit(char32_t c);
bool is_apostrophe(char32_t c);
bool is_han(char32_t c);

// Marks without a space after, or before them: ( [ “ ¿ and ) ] ” , . !
bool is_opening(char32_t c);
bool is_closing(char32_t c);

bool is_currency(char32_t c);

// Chinese characters and the punctuation written with them, which have no spaces around them.
bool is_solid(char32_t c);

char32_t to_lower(char32_t c);

}  // namespace gradus::data
