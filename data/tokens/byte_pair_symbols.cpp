#include "tokens/byte_pair_symbols.hpp"

#include <gradus/data/utf8.hpp>

namespace gradus::data {

std::vector<std::string> characters(std::string_view where, std::string_view word) {
  std::vector<std::string> symbols;
  for (const char32_t code_point : decode_utf8(where, word)) symbols.push_back(encode_utf8({&code_point, 1}));
  if (!symbols.empty()) symbols.back() += end_of_word;
  return symbols;
}

bool merge_neighbours(std::vector<Symbol>& symbols, const SymbolPair& pair, Symbol whole) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const bool found = i + 1 < symbols.size() && symbols[i] == pair.first && symbols[i + 1] == pair.second;
    symbols[kept++] = found ? whole : symbols[i];
    if (found) ++i;
  }
  const bool any = kept < symbols.size();
  symbols.resize(kept);
  return any;
}

}  // namespace gradus::data
