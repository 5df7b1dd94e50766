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

/// Words in pieces: a word is split into its characters, of which the last carries the mark `</w>`, and then
/// pairs of neighbours are merged in the order in which they were learned. A rare word comes apart, a
/// frequent one stays whole, and no word is unknown whose characters are known. R. Sennrich, B. Haddow, A.
/// Birch, "Neural machine translation of rare words with subword units", 2016, algorithm 1.
///
/// Learning, splitting and the file are those of the authors' subword-nmt, version 0.2.
class BytePairEncoding {
 public:
  /// Learns up to `merges` merges, one at a time: the pair that occurs most often within the words, each as
  /// often as it was counted; of equally frequent pairs the last in the order of their bytes, by the first
  /// part, then the second. It ends early when no pair occurs twice.
  /// \throws gradus::Error if merges is below 1, or a word is empty, has white space, is not UTF-8 or is
  ///         counted below 1.
  static BytePairEncoding learn(const std::map<std::string, std::int64_t>& word_counts, std::int64_t merges);

  /// The merges of a text that `to_text` or subword-nmt wrote.
  /// \param source_name  of the file, for messages.
  /// \throws gradus::Error if it is not of this form, naming the line.
  static BytePairEncoding from_text(std::string_view text, std::string_view source_name);

  /// `#version: 0.2`, then a merge a line: `t h`, `th e</w>`.
  std::string to_text() const;

  /// The pieces of a word, all but the last with `@@` at their end: `lo@@ w@@ er`. None of an empty word.
  /// \throws gradus::Error if the word is not UTF-8.
  std::vector<std::string> split(std::string_view word) const;

  /// In the order in which they were learned.
  const std::vector<std::pair<std::string, std::string>>& merges() const { return merges_; }

  bool operator==(const BytePairEncoding& other) const { return merges_ == other.merges_; }

 private:
  struct Rule {
    std::size_t rank;  // the lowest is applied first
    std::int32_t whole;
  };

  BytePairEncoding() = default;

  bool add(std::string left, std::string right);  // false if it is there already
  std::int32_t symbol(const std::string& text);

  std::vector<std::pair<std::string, std::string>> merges_;
  std::vector<std::string> texts_;                         // of the symbols that occur in merges
  std::unordered_map<std::string, std::int32_t> symbols_;  // their places in texts_
  std::unordered_map<std::uint64_t, Rule> rules_;          // by the symbols to the left and to the right
};

}  // namespace gradus::data
#pragma GCC visibility pop
