#include "tokens/byte_pair_learner.hpp"

#include <tuple>

namespace gradus::data {

bool BytePairLearner::Rarer::operator()(const Candidate& a, const Candidate& b) const {
  const auto order = [this](const Candidate& c) {
    return std::tie(c.count, (*texts)[c.pair.first], (*texts)[c.pair.second]);
  };
  return order(a) < order(b);
}

void BytePairLearner::add_word(const std::vector<std::string>& characters, std::int64_t count) {
  Word word{{}, count};
  for (const std::string& text : characters) word.symbols.push_back(symbol(text));
  count_pairs(word, count);
  for (std::size_t i = 1; i < word.symbols.size(); ++i) {
    note(words_.size(), {word.symbols[i - 1], word.symbols[i]});
  }
  words_.push_back(std::move(word));
}

std::optional<SymbolPair> BytePairLearner::most_frequent() {
  for (const auto& [_, pair] : grown_) queue(pair);
  grown_.clear();
  while (!queue_.empty()) {
    const Candidate top = queue_.top();
    if (top.count < 2) return std::nullopt;
    queue_.pop();
    if (at(top.pair).count == top.count) return top.pair;
    queue(top.pair);
  }
  return std::nullopt;
}

void BytePairLearner::merge(const SymbolPair& pair) {
  const Symbol whole = symbol(text(pair.first) + text(pair.second));
  const std::vector<std::size_t> places = std::exchange(at(pair).words, {});
  for (const std::size_t index : places) {
    Word& word = words_[index];
    Word merged = word;
    if (!merge_neighbours(merged.symbols, pair, whole)) continue;
    count_pairs(word, -word.count);
    count_pairs(merged, word.count);
    word = std::move(merged);
    for (std::size_t i = 1; i < word.symbols.size(); ++i) {
      const SymbolPair neighbours{word.symbols[i - 1], word.symbols[i]};
      if (neighbours.first == whole || neighbours.second == whole) note(index, neighbours);
    }
  }
}

Symbol BytePairLearner::symbol(const std::string& text) {
  const auto [place, is_new] = symbols_.emplace(text, static_cast<Symbol>(texts_.size()));
  if (is_new) texts_.push_back(text);
  return place->second;
}

void BytePairLearner::count_pairs(const Word& word, std::int64_t count) {
  for (std::size_t i = 1; i < word.symbols.size(); ++i) {
    at({word.symbols[i - 1], word.symbols[i]}).count += count;
  }
}

void BytePairLearner::note(std::size_t word, const SymbolPair& pair) {
  at(pair).words.push_back(word);
  grown_.emplace(key(pair), pair);
}

void BytePairLearner::queue(const SymbolPair& pair) {
  if (const std::int64_t count = at(pair).count; count > 1) queue_.push({count, pair});
}

}  // namespace gradus::data
