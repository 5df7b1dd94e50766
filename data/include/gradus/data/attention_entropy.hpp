#pragma once

#include <cstdint>
#include <span>

#pragma GCC visibility push(default)
namespace gradus::data {

/// Measures how sharp attention is, by the entropy H = -Σ_j α_j ln α_j of each row of weights. H is 0 if one
/// position has all the weight, and ln T_x if the weights are uniform.
struct AttentionEntropy {
  std::int64_t rows = 0;
  double nats_sum = 0, normalised_sum = 0;

  /// Adds one row of weights α, (T_x) without padding.
  /// @throws gradus::Error if the row is empty, or a weight is NaN or below 0.
  void add(std::span<const float> row);
  void add(std::span<const double> row);

  AttentionEntropy& operator+=(const AttentionEntropy& other);

  double nats() const;  ///< the mean of H
  /// The mean of H / ln T_x over the rows, in [0, 1] if the weights come from a softmax. A row with T_x = 1
  /// counts as 0.
  double normalised() const;
};

}  // namespace gradus::data
#pragma GCC visibility pop
