#pragma once

#include <gradus/data/tokens.hpp>

#include <cstdint>
#include <span>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::data {

/// A padded, time-major batch of pairs: token t of sequence b is at `[t * size + b]`.
struct Batch {
  std::int64_t size = 0;          ///< B
  std::int64_t source_steps = 0;  ///< T_x, the longest source
  std::int64_t target_steps = 0;  ///< T_y, the longest target with its EOS

  std::vector<std::int64_t> source;          ///< (T_x, B): x_1 … x_m, then PAD
  std::vector<std::int64_t> source_lengths;  ///< (B): m
  std::vector<std::int64_t> target_in;       ///< (T_y, B): BOS, y_1 … y_{n-1}, then PAD: the decoder's input
  std::vector<std::int64_t> target_out;      ///< (T_y, B): y_1 … y_n = EOS, then PAD: the expected output
  std::vector<std::int64_t> target_lengths;  ///< (B): n

  /// The number of target tokens, including EOS but not padding. The mean loss is the sum of the tokens'
  /// losses, divided by this number.
  std::int64_t target_tokens() const;
};

/// Makes a batch of the pairs, in the given order.
/// @throws gradus::Error if there are no pairs, if a source is empty, if a target does not end in EOS, or if
///         an id in a source, or in a target before its final EOS, is below `first_symbol`. The message has
///         the pair's index.
Batch make_batch(std::span<const Pair> pairs);

/// Makes a batch of some sequences of `batch`: those with the indices `rows`, in the order of `rows`. Pads
/// only to the longest of these sequences.
/// @throws gradus::Error if `rows` is empty or out of range.
Batch select(const Batch& batch, std::span<const std::int64_t> rows);

}  // namespace gradus::data
#pragma GCC visibility pop
