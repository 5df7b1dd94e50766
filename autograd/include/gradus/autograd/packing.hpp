#pragma once

#include <gradus/autograd/tensor.hpp>

#include <cstdint>
#include <vector>

#pragma GCC visibility push(default)
/// Sequences of different lengths without their padding: what is not there is not computed.
namespace gradus {

/// Where the steps of B sequences lie when they are packed: step by step, and within a step the sequences
/// that are not over, the longest first (as in PyTorch's PackedSequence). A sequence has the same rank at
/// every step, so the ones of step t are the first of those of step t − 1.
///
///     lengths 2, 3, 1:  b₀ a₀ c₀ | b₁ a₁ | b₂        batch_sizes 3, 2, 1
class Packing {
 public:
  /// @param lengths (B), i64. @throws Error when they are not, or one is below 0.
  explicit Packing(const Tensor& lengths);
  /// B sequences of the same length, in their order: packed is then the same as padded. @throws Error when
  /// either is below 0.
  Packing(std::int64_t steps, std::int64_t batch);

  std::int64_t batch() const { return std::ssize(order_); }        ///< B
  std::int64_t steps() const { return std::ssize(batch_sizes_); }  ///< T, the longest length
  std::int64_t rows() const { return offsets_.back(); }            ///< N, the sum of the lengths
  bool is_padded() const { return padded_; }  ///< whether all lengths are T and the order is the batch's

  /// How many sequences have a step t; it does not grow with t.
  std::int64_t batch_size(std::int64_t t) const { return batch_sizes_[static_cast<std::size_t>(t)]; }
  /// The packed row of the first sequence's step t.
  std::int64_t offset(std::int64_t t) const { return offsets_[static_cast<std::size_t>(t)]; }
  /// Which sequence of the batch has rank r.
  std::int64_t sequence(std::int64_t r) const { return order_[static_cast<std::size_t>(r)]; }
  /// How long it is.
  std::int64_t length(std::int64_t r) const;
  /// The lengths in the order of the batch, (B), i64.
  Tensor lengths() const;

  /// The ranks cut into `parts` ranges of about as many packed rows each: their bounds, from 0 to B.
  std::vector<std::int64_t> shares(std::int64_t parts) const;

 private:
  std::vector<std::int64_t> order_;        // (B)
  std::vector<std::int64_t> batch_sizes_;  // (T)
  std::vector<std::int64_t> offsets_;      // (T + 1)
  bool padded_ = false;
};

/// The real steps of padded sequences.
/// @param x (T, B, …), T at least the longest length
/// @return (N, …); x itself in another shape where nothing is padding
/// Gradient: g at the real steps, 0 elsewhere. @throws Error when the shapes do not fit.
Tensor pack(const Tensor& x, const Packing& packing);

/// Packed sequences padded with zeros, to `steps` steps, or to as many as the longest has.
/// @param x (N, …)
/// @return (T, B, …)
/// Gradient: g at the real steps. @throws Error when the shapes do not fit.
Tensor unpack(const Tensor& x, const Packing& packing, std::int64_t steps = 0);

}  // namespace gradus
#pragma GCC visibility pop
