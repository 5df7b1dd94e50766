#pragma once

#include <gradus/data/tokens.hpp>

#include <cstdint>
#include <span>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::data {

/// Several pairs side by side, time-major and padded: token t of sequence b is at `[t * size + b]`.
struct Batch {
  std::int64_t size = 0;          ///< B
  std::int64_t source_steps = 0;  ///< Tx, the longest source
  std::int64_t target_steps = 0;  ///< Ty, the longest target with its EOS

  std::vector<std::int64_t> source;          ///< (Tx, B): x_1 … x_m, then PAD
  std::vector<std::int64_t> source_lengths;  ///< (B): m
  std::vector<std::int64_t> target_in;       ///< (Ty, B): BOS, y_1 … y_{n-1}, then PAD: the decoder's input
  std::vector<std::int64_t> target_out;      ///< (Ty, B): y_1 … y_n = EOS, then PAD: what it should write
  std::vector<std::int64_t> target_lengths;  ///< (B): n

  /// How many target tokens are real, EOS included: the sum of the lengths, by which a loss is averaged.
  std::int64_t target_tokens() const;
};

/// Lays pairs out as a batch, in their order.
/// \throws gradus::Error if there is no pair, or one (named by its index) has an empty source, a target that
///         does not end in EOS, or an id below `first_symbol` anywhere else.
Batch make_batch(std::span<const Pair> pairs);

/// Sequences `rows` of a batch, in this order, with no more steps than they need.
/// \throws gradus::Error if there is no row, or one is no sequence of the batch.
Batch select(const Batch& batch, std::span<const std::int64_t> rows);

}  // namespace gradus::data
#pragma GCC visibility pop
