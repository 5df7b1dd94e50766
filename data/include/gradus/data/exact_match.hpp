#pragma once

#include <gradus/data/match_count.hpp>

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::data {

/// Whether a prediction is the target, both read up to and including their first EOS: what follows it is
/// ignored, and a prediction that never ends is wrong.
/// \throws gradus::Error if the target holds no EOS.
bool matches_exactly(std::span<const std::int64_t> prediction, std::span<const std::int64_t> target);

/// The fraction of predictions that are their target; see `matches_exactly`.
/// \throws gradus::Error if there are not as many predictions as targets, or a target holds no EOS.
double exact_match(std::span<const std::vector<std::int64_t>> predictions,
                   std::span<const std::vector<std::int64_t>> targets);

/// Exact match by the length of the source: shows where a model breaks down.
class ExactMatchByLength {
 public:
  /// \throws gradus::Error if the length is below 1.
  void add(std::int64_t source_length, bool right);

  /// A row for each length seen, shortest first.
  const std::map<std::int64_t, MatchCount>& rows() const { return rows_; }

  /// All lengths together.
  MatchCount total() const;

 private:
  std::map<std::int64_t, MatchCount> rows_;
};

}  // namespace gradus::data
#pragma GCC visibility pop
