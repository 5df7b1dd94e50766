#pragma once

#include <gradus/data/batch.hpp>
#include <gradus/data/tokens.hpp>

#include <cstdint>
#include <span>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::data {

/// How pairs become batches.
struct BatchesOptions {
  std::int64_t sentences = 64;  ///< pairs a batch, at least 1, where `tokens` is 0
  std::int64_t tokens = 0;      ///< if above 0, the most a batch takes: B (Tx + Ty), padding and EOS included
  std::uint64_t seed = 1;
  bool shuffle = true;        ///< pairs and batches; otherwise they keep their order but for the sorting
  std::int64_t bucket = 100;  ///< so many batches' worth of pairs are sorted by length together; 0 sorts none
};

/// Batches without end, epoch after epoch; each epoch has every pair once.
///
/// An epoch shuffles the pairs, sorts them by length within buckets, cuts the buckets into batches, and
/// shuffles these. All of that follows from the pairs, the options and the epoch's number alone, so that
/// where a stream stands is two numbers, and one that is taken up there gives the same batches.
class Batches {
 public:
  /// Where a stream stands.
  struct State {
    std::int64_t epoch = 0, position = 0;

    bool operator==(const State&) const = default;
  };

  /// \throws gradus::Error if there is no pair, `make_batch` would refuse one, one alone has more tokens than
  ///         a batch may have, or an option is out of range.
  explicit Batches(std::vector<Pair> pairs, BatchesOptions options = {});

  /// The next batch, of the next epoch where this one is over.
  Batch next();

  std::int64_t epoch() const { return state_.epoch; }        ///< from 0
  std::int64_t position() const { return state_.position; }  ///< how many of its batches were given

  /// Of this epoch; by tokens, others may have more or fewer.
  std::int64_t batches_in_epoch() const { return std::ssize(plan_.cuts); }

  State state() const { return state_; }

  /// Goes where another stream of the same pairs and options stood.
  /// \throws gradus::Error if the epoch is negative, or has fewer batches than the position.
  void set_state(State state);

  /// A hash of pairs and options that never changes: what a state was saved with is what it is good for.
  std::uint64_t fingerprint() const;

 private:
  // A batch is the pairs order[first] … order[first + size - 1].
  struct Cut {
    std::int64_t first, size;
  };
  struct Plan {
    std::vector<std::int64_t> order;  // of the pairs
    std::vector<Cut> cuts;            // in the order in which they are given
  };

  Plan plan(std::int64_t epoch) const;
  void sort_by_length(std::span<std::int64_t> bucket) const;
  std::int64_t pairs_in_bucket() const;
  std::int64_t pairs_in_batch(std::span<const std::int64_t> order) const;

  std::vector<Pair> pairs_;
  BatchesOptions options_;
  State state_;
  Plan plan_;  // of the epoch
};

}  // namespace gradus::data
#pragma GCC visibility pop
