#pragma once

#include <cstdint>
#include <span>

#pragma GCC visibility push(default)
namespace gradus::data {

/// Compares attention with a true alignment over many decoder steps. Measures how often the largest weight is
/// at the true position, and the mean weight of the true position. Both are NaN without steps.
struct AlignmentScore {
  std::int64_t steps = 0, right = 0;
  double weight_sum = 0;

  /// Adds one decoder step.
  /// @param row            (T_x): the weights over the source. On ties, the first weight counts as largest.
  /// @param true_position  0 to T_x - 1.
  /// @throws gradus::Error if the position is outside the row, or a weight is NaN.
  void add(std::span<const float> row, std::int64_t true_position);
  void add(std::span<const double> row, std::int64_t true_position);

  AlignmentScore& operator+=(const AlignmentScore& other);

  double accuracy() const;     ///< right / steps, in [0, 1]
  double mean_weight() const;  ///< weight_sum / steps, in [0, 1] for a softmax's weights
};

}  // namespace gradus::data
#pragma GCC visibility pop
