#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tokens/byte_pair_symbols.hpp"

namespace gradus::data {

// Learns merges incrementally. After a merge, only the words that contain the merged pair are counted again.
// A priority queue yields the next pair; counts in the queue may be outdated.
class BytePairLearner {
 public:
  BytePairLearner() : queue_(Rarer{&texts_}) {}
  BytePairLearner(const BytePairLearner&) = delete;  // queue_ points to texts_
  BytePairLearner& operator=(const BytePairLearner&) = delete;

  void add_word(const std::vector<std::string>& characters, std::int64_t count);

  // The most frequent pair; on ties, the last one in byte order. Empty if no pair occurs at least twice.
  std::optional<SymbolPair> most_frequent();

  void merge(const SymbolPair& pair);

  const std::string& text(Symbol symbol) const { return texts_[symbol]; }

 private:
  struct Word {
    std::vector<Symbol> symbols;
    std::int64_t count;
  };
  struct Occurrences {
    std::int64_t count = 0;
    std::vector<std::size_t> words;  // all words that contain the pair, and some that no longer do
  };
  struct Candidate {
    std::int64_t count;
    SymbolPair pair;
  };
  struct Rarer {
    const std::vector<std::string>* texts;
    bool operator()(const Candidate& a, const Candidate& b) const;
  };

  Symbol symbol(const std::string& text);
  Occurrences& at(const SymbolPair& pair) { return pairs_[key(pair)]; }
  void count_pairs(const Word& word, std::int64_t count);
  void note(std::size_t word, const SymbolPair& pair);
  void queue(const SymbolPair& pair);

  std::vector<std::string> texts_;
  std::unordered_map<std::string, Symbol> symbols_;
  std::vector<Word> words_;
  std::unordered_map<std::uint64_t, Occurrences> pairs_;
  std::unordered_map<std::uint64_t, SymbolPair> grown_;  // pairs with new occurrences that are not queued yet
  // Invariant: a pair that occurs at least twice is in `grown_`, or the queue has a candidate for it. The
  // candidate's count is at least the pair's current count. If it is larger, the candidate is outdated.
  std::priority_queue<Candidate, std::vector<Candidate>, Rarer> queue_;
};

}  // namespace gradus::data
