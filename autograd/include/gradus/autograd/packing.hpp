#pragma once

#include <gradus/autograd/tensor.hpp>

#include <cstdint>
#include <functional>
#include <vector>

#pragma GCC visibility push(default)
/// Sequences of different lengths, stored without padding, so that nothing is computed for padding.
namespace gradus {

/// The layout of B packed sequences. Rows are stored step by step. Each step has one row for every sequence
/// that has not ended, the longest sequence first (as in PyTorch's PackedSequence). A sequence's position in
/// this order is its rank. The rank is the same at every step, so a step with n rows holds the first n
/// sequences of the step before.
///
///     lengths 2, 3, 1:  b₀ a₀ c₀ | b₁ a₁ | b₂        batch_sizes 3, 2, 1
class Packing {
 public:
  /// @param lengths (B), i64. @throws Error for another shape or dtype, or a negative length.
  explicit Packing(const Tensor& lengths);
  /// The layout of `batch` sequences of `steps` steps each, in batch order. This packed layout equals the
  /// padded layout. @throws Error when `steps` or `batch` is negative.
  Packing(std::int64_t steps, std::int64_t batch);

  std::int64_t batch() const { return std::ssize(order_); }        ///< B
  std::int64_t steps() const { return std::ssize(batch_sizes_); }  ///< T, the longest length
  std::int64_t rows() const { return offsets_.back(); }            ///< N, the sum of the lengths
  /// True if all lengths are T, so that the packed layout equals the padded layout.
  bool is_padded() const { return padded_; }

  /// The number of sequences that are longer than t, and thus have a step t. Steps are counted from 0. This
  /// number never increases with t.
  std::int64_t batch_size(std::int64_t t) const { return batch_sizes_[static_cast<std::size_t>(t)]; }
  /// The first packed row of step t.
  std::int64_t offset(std::int64_t t) const { return offsets_[static_cast<std::size_t>(t)]; }
  /// The index in the batch of the sequence with rank r.
  std::int64_t sequence(std::int64_t r) const { return order_[static_cast<std::size_t>(r)]; }
  /// The length of the sequence with rank r.
  std::int64_t length(std::int64_t r) const;
  /// The lengths in the order of the batch, (B), i64.
  Tensor lengths() const;

  /// Splits the ranks into `parts` ranges with about equally many packed rows. Returns parts + 1 bounds: the
  /// first is 0, the last is B, and range i is [bounds[i], bounds[i + 1]).
  std::vector<std::int64_t> split(std::int64_t parts) const;

 private:
  std::vector<std::int64_t> order_;        // (B)
  std::vector<std::int64_t> batch_sizes_;  // (T)
  std::vector<std::int64_t> offsets_;      // (T + 1)
  bool padded_ = false;
};

/// Packs padded sequences.
/// @param x (T, B, …), T at least the longest length
/// @return (N, …); a view of x if there is no padding
/// Gradient: g at the sequences' steps, 0 at padding. @throws Error when the shapes do not fit.
Tensor pack(const Tensor& x, const Packing& packing);

/// Pads packed sequences with zeros to `steps` steps, or to the longest length if `steps` is 0.
/// @param x (N, …)
/// @return (T, B, …), where T is the number of steps; a view of x if there is no padding
/// Gradient: g at the sequences' steps. @throws Error when the shapes do not fit.
Tensor unpack(const Tensor& x, const Packing& packing, std::int64_t steps = 0);

struct Scanned {
  Tensor states;  ///< the state's first tensor after each step, (N, H), packed
  std::vector<Tensor>
      last;  ///< the state after each sequence's last step, or after the first step if reversed
};

/// Runs a recurrence over packed sequences, one step at a time: state_t = step(x_t, state_{t−1}). Every step
/// computes all B rows, with x_t = 0 past the end of a sequence. There, the sequence keeps its old state.
/// @param step    called with x_t, (B, …), and the state before x_t; returns the state after x_t
/// @param x       (N, …), packed
/// @param first   the tensors of the first state, (B, H) each, in the order of the batch
/// @param reverse whether each sequence is read from its last step to its first
/// @throws Error when the shapes do not fit.
Scanned scan(
    const std::function<std::vector<Tensor>(const Tensor& x, const std::vector<Tensor>& state)>& step,
    const Tensor& x, std::vector<Tensor> first, const Packing& packing, bool reverse = false);

}  // namespace gradus
#pragma GCC visibility pop
