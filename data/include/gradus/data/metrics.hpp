#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

/// \file
/// How well a task with one right answer is solved. A fraction of nothing is NaN.

namespace gradus::data {

/// Whether a prediction is the target, both read up to and including their first EOS: what follows it is
/// ignored, and a prediction that never ends is wrong.
/// \throws gradus::Error if the target holds no EOS.
bool matches_exactly(std::span<const std::int64_t> prediction, std::span<const std::int64_t> target);

/// The fraction of predictions that are their target; see `matches_exactly`.
/// \throws gradus::Error if there are not as many predictions as targets, or a target holds no EOS.
double exact_match(std::span<const std::vector<std::int64_t>> predictions,
                   std::span<const std::vector<std::int64_t>> targets);

/// So many right out of so many.
struct MatchCount {
  std::int64_t count = 0, right = 0;

  double fraction() const;  ///< in [0, 1]
};

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

/// Attention against a true alignment, summed over decoder steps: how often the largest weight is at the true
/// position, and how much weight is there.
struct AlignmentScore {
  std::int64_t steps = 0, right = 0;
  double weight_sum = 0;

  /// Counts one decoder step.
  /// \param row            (Tx): the weights over the source; the first of equal ones counts as largest.
  /// \param true_position  0 to Tx - 1.
  /// \throws gradus::Error if the position is outside the row, or a weight is NaN.
  void add(std::span<const float> row, std::int64_t true_position);
  void add(std::span<const double> row, std::int64_t true_position);

  /// Takes in the steps that another score counted.
  AlignmentScore& operator+=(const AlignmentScore& other);

  double accuracy() const;     ///< right / steps, in [0, 1]
  double mean_weight() const;  ///< weight_sum / steps, in [0, 1] for a softmax's weights
};

}  // namespace gradus::data
