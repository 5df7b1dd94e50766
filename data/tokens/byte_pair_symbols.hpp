#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gradus::data {

// Index of a symbol: a character or a merged sequence of characters.
using Symbol = std::int32_t;
using SymbolPair = std::pair<Symbol, Symbol>;

// The suffix of a word's last symbol.
inline constexpr std::string_view end_of_word = "</w>";

// The suffix of every piece of a word except the last.
inline constexpr std::string_view continued = "@@";

// The symbols of a word before any merge: its characters. The last one ends in end_of_word.
std::vector<std::string> characters(std::string_view where, std::string_view word);

// Replaces every occurrence of the pair by `whole`, from left to right. Returns true if the pair occurred.
bool merge_neighbours(std::vector<Symbol>& symbols, const SymbolPair& pair, Symbol whole);

// Packs both indices into one key.
inline std::uint64_t key(const SymbolPair& pair) {
  return static_cast<std::uint64_t>(pair.first) << 32 | static_cast<std::uint32_t>(pair.second);
}

}  // namespace gradus::data
