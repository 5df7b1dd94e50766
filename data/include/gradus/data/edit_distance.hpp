#pragma once

#include <cstdint>
#include <span>
#include <string>

#pragma GCC visibility push(default)
namespace gradus::data {

/// The fewest tokens to insert, delete or replace that make one sequence the other (Levenshtein 1966).
std::int64_t edit_distance(std::span<const std::string> a, std::span<const std::string> b);

/// Edits by tokens of the reference, summed over sequences: of words the word error rate, of phonemes the
/// phoneme error rate.
struct ErrorRate {
  std::int64_t edits = 0, reference_length = 0;

  void add(std::span<const std::string> hypothesis, std::span<const std::string> reference);
  ErrorRate& operator+=(const ErrorRate& other);

  double rate() const;  ///< at least 0; above 1 where too much is written; NaN of nothing
};

}  // namespace gradus::data
#pragma GCC visibility pop
