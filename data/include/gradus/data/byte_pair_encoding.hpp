#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::data {

/// Byte-pair encoding. A word is split into characters, and `</w>` marks the last one. Then pairs of
/// neighbouring pieces are merged into one piece each. Merges learned earlier are applied first. Frequent
/// words stay whole, rare words are split, and a word is never unknown if its characters are known. R.
/// Sennrich, B. Haddow, A. Birch, "Neural machine translation of rare words with subword units", 2016,
/// algorithm 1.
///
/// Learning, splitting and file format match the authors' subword-nmt, version 0.2.
class BytePairEncoding {
 public:
  /// Learns up to `merges` merges. Each step merges the most frequent pair within words, weighted by the
  /// words' counts. On ties, it merges the pair that is last in byte order, by its first part, then by its
  /// second part. Stops early when no pair occurs twice.
  /// @throws gradus::Error if merges is below 1, or a word is empty, has white space, is not UTF-8 or has a
  ///         count below 1.
  static BytePairEncoding learn(const std::map<std::string, std::int64_t>& word_counts, std::int64_t merges);

  /// Reads merges written by `to_text` or subword-nmt.
  /// @param source_name  the file's name, for messages.
  /// @throws gradus::Error naming a line that is malformed or not UTF-8, or that repeats a merge.
  static BytePairEncoding from_text(std::string_view text, std::string_view source_name);

  /// The text: `#version: 0.2`, then one merge per line, such as `t h` and `th e</w>`.
  std::string to_text() const;

  /// The pieces of a word, such as `lo@@ w@@ er`: every piece except the last ends in `@@`. Empty for an
  /// empty word.
  /// @throws gradus::Error if the word is not UTF-8.
  std::vector<std::string> split(std::string_view word) const;

  /// The merges in the order learned.
  const std::vector<std::pair<std::string, std::string>>& merges() const { return merges_; }

  bool operator==(const BytePairEncoding& other) const { return merges_ == other.merges_; }

 private:
  struct Rule {
    std::size_t rank;  // rules with lower ranks are applied first
    std::int32_t whole;
  };

  BytePairEncoding() = default;

  bool add(std::string left, std::string right);  // false if already present
  std::int32_t symbol(const std::string& text);

  std::vector<std::pair<std::string, std::string>> merges_;
  std::vector<std::string> texts_;                         // symbol to text
  std::unordered_map<std::string, std::int32_t> symbols_;  // text to symbol
  std::unordered_map<std::uint64_t, Rule> rules_;          // keys: key() of the left and right symbols
};

}  // namespace gradus::data
#pragma GCC visibility pop
