#pragma once

#include <cstdint>
#include <span>
#include <string>

#pragma GCC visibility push(default)
namespace gradus::data {

/// Levenshtein distance (1966): the smallest number of insertions, deletions and replacements that turn `a`
/// into `b`.
std::int64_t edit_distance(std::span<const std::string> a, std::span<const std::string> b);

/// The number of edits divided by the number of reference tokens, both summed over sequences. This is the
/// word error rate if tokens are words, and the phoneme error rate if tokens are phonemes.
struct ErrorRate {
  std::int64_t edits = 0, reference_length = 0;

  void add(std::span<const std::string> hypothesis, std::span<const std::string> reference);
  ErrorRate& operator+=(const ErrorRate& other);

  double rate() const;  ///< at least 0; above 1 for some long outputs; without reference tokens, infinite or,
                        ///< if there are no edits, NaN
};

}  // namespace gradus::data
#pragma GCC visibility pop
