#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gradus::data {

// The number of a symbol: a character, or characters that were merged.
using Symbol = std::int32_t;
using SymbolPair = std::pair<Symbol, Symbol>;

// The mark of a word's last symbol.
inline constexpr std::string_view end_of_word = "</w>";

// The mark of a word's pieces but the last.
inline constexpr std::string_view continued = "@@";

// What a word consists of before any merge: its characters, the last with the mark.
std::vector<std::string> characters(std::string_view where, std::string_view word);

// Puts `whole` in the place of every such pair of neighbours, from left to right. Whether there was one.
bool merge_neighbours(std::vector<Symbol>& symbols, const SymbolPair& pair, Symbol whole);

// Both numbers in one.
inline std::uint64_t key(const SymbolPair& pair) {
  return static_cast<std::uint64_t>(pair.first) << 32 | static_cast<std::uint32_t>(pair.second);
}

}  // namespace gradus::data
