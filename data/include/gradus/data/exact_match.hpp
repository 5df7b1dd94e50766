#pragma once

#include <gradus/data/match_count.hpp>

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::data {

/// True if prediction and target are equal up to and including the target's first EOS. Tokens after EOS are
/// ignored. A prediction without EOS is wrong.
/// @throws gradus::Error if the target has no EOS.
bool matches_exactly(std::span<const std::int64_t> prediction, std::span<const std::int64_t> target);

/// The fraction of predictions for which `matches_exactly` is true.
/// @throws gradus::Error if the sizes differ, or a target has no EOS.
double exact_match(std::span<const std::vector<std::int64_t>> predictions,
                   std::span<const std::vector<std::int64_t>> targets);

/// Counts exact matches for each source length.
class ExactMatchByLength {
 public:
  /// Adds one prediction. `right` states whether the prediction matches its target exactly.
  /// @throws gradus::Error if the length is below 1.
  void add(std::int64_t source_length, bool right);

  /// One row per source length passed to add(), shortest first.
  const std::map<std::int64_t, MatchCount>& rows() const { return rows_; }

  /// The counts of all lengths together.
  MatchCount total() const;

 private:
  std::map<std::int64_t, MatchCount> rows_;
};

}  // namespace gradus::data
#pragma GCC visibility pop
