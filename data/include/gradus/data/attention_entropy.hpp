#pragma once

#include <cstdint>
#include <span>

#pragma GCC visibility push(default)
namespace gradus::data {

/// Sharpness of attention: the mean entropy H = -Σ_j α_j ln α_j of its rows. 0: all weight on one position;
/// ln Tx: uniform.
struct AttentionEntropy {
  std::int64_t rows = 0;
  double nats_sum = 0, share_sum = 0;

  /// Adds one row of weights α, (Tx) without padding.
  /// \throws gradus::Error if the row is empty, or a weight is NaN or below 0.
  void add(std::span<const float> row);
  void add(std::span<const double> row);

  AttentionEntropy& operator+=(const AttentionEntropy& other);

  double nats() const;  ///< the mean of H
  double share()
      const;  ///< the mean of H / ln Tx, in [0, 1] for a softmax's weights; 0 for a row of one weight
};

}  // namespace gradus::data
#pragma GCC visibility pop
