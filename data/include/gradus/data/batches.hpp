#pragma once

#include <gradus/data/batch.hpp>
#include <gradus/data/tokens.hpp>

#include <cstdint>
#include <span>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::data {

struct BatchesOptions {
  std::int64_t sentences = 64;  ///< pairs per batch, at least 1; used if `tokens` is 0
  std::int64_t tokens = 0;      ///< if above 0: limit of B (T_x + T_y), which counts padding and EOS
  std::uint64_t seed = 1;
  bool shuffle = true;        ///< shuffle pairs and batches; if false, only sorting changes their order
  std::int64_t bucket = 100;  ///< batches per bucket (see Batches); 0 disables sorting by length
};

/// An endless stream of batches; each epoch contains every pair once.
///
/// By default, the stream shuffles the pairs in each epoch and divides them into buckets. It sorts each
/// bucket by target length, then by source length, and cuts the bucket into batches. Then it shuffles the
/// batches of all buckets. The order depends only on the pairs, the options and the epoch number. Two
/// numbers, epoch and position, therefore suffice to resume the stream.
class Batches {
 public:
  /// A position in the stream.
  struct State {
    std::int64_t epoch = 0, position = 0;

    bool operator==(const State&) const = default;
  };

  /// @throws gradus::Error if there are no pairs, `make_batch` would refuse a pair, a pair exceeds the token
  ///         limit, or an option is out of range.
  explicit Batches(std::vector<Pair> pairs, BatchesOptions options = {});

  /// Returns the next batch. After the last batch of an epoch, starts the next epoch.
  Batch next();

  std::int64_t epoch() const { return state_.epoch; }        ///< counted from 0
  std::int64_t position() const { return state_.position; }  ///< batches returned in this epoch

  /// The number of batches in this epoch. May differ between epochs if `tokens` limits the batches.
  std::int64_t batches_in_epoch() const { return std::ssize(plan_.cuts); }

  /// Number of batches in the first `epochs` epochs.
  /// @throws gradus::Error if `epochs` is below 1.
  std::int64_t batches_in_epochs(std::int64_t epochs) const;

  State state() const { return state_; }

  /// Restores the state of a stream with the same pairs and options.
  /// @throws gradus::Error if the epoch or the position is negative, or if the position exceeds the number of
  ///         batches in the epoch.
  void set_state(State state);

  /// A stable hash of pairs and options. Use it to check that a saved state belongs to this stream.
  std::uint64_t fingerprint() const;

 private:
  // A batch: the pairs order[first] … order[first + size - 1].
  struct Cut {
    std::int64_t first, size;
  };
  struct Plan {
    std::vector<std::int64_t> order;  // indices of pairs
    std::vector<Cut> cuts;            // batches, in the order in which next() returns them
  };

  Plan plan(std::int64_t epoch) const;
  void sort_by_length(std::span<std::int64_t> bucket) const;
  std::int64_t pairs_in_bucket() const;
  std::int64_t pairs_in_batch(std::span<const std::int64_t> order) const;

  std::vector<Pair> pairs_;
  BatchesOptions options_;
  State state_;
  Plan plan_;  // the plan of the current epoch
};

}  // namespace gradus::data
#pragma GCC visibility pop
