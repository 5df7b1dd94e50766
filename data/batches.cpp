#include <gradus/data/batches.hpp>
#include <gradus/data/hash.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <utility>

#include "check.hpp"
#include "check_pair.hpp"

namespace gradus::data {
namespace {

std::int64_t token_count(const Pair& pair) { return std::ssize(pair.source) + std::ssize(pair.target); }

void check_length(const Pair& pair, std::size_t index, std::int64_t tokens) {
  if (tokens == 0 || token_count(pair) <= tokens) return;
  fail("Batches: pair ", index, " has ", token_count(pair), " tokens (", pair.source.size(), " source, ",
       pair.target.size(), " target), but a batch may have ", tokens, "; drop the pair or raise `tokens`");
}

std::int64_t as_id(std::uint64_t bits) { return static_cast<std::int64_t>(bits); }

// An epoch shuffles its pairs, and later its batches. Each of the two shuffles has its own random numbers.
enum class Shuffled { pairs, batches };

// A permutation of 0 … size - 1 that depends only on the arguments.
std::vector<std::int64_t> permutation(std::int64_t size, std::uint64_t seed, std::int64_t epoch,
                                      Shuffled what) {
  std::vector<std::pair<std::uint64_t, std::int64_t>> keyed;
  for (std::int64_t i = 0; i < size; ++i) {
    const std::array<std::int64_t, 4> place{as_id(seed), epoch, static_cast<std::int64_t>(what), i};
    keyed.emplace_back(stable_hash(place), i);
  }
  std::ranges::sort(keyed);
  std::vector<std::int64_t> order;
  for (const auto& [key, i] : keyed) order.push_back(i);
  return order;
}

}  // namespace

Batches::Batches(std::vector<Pair> pairs, BatchesOptions options)
    : pairs_(std::move(pairs)), options_(options) {
  check_range("Batches", "sentences", options.sentences, 1, "a batch needs at least one pair");
  check_range("Batches", "tokens", options.tokens, 0, "0 limits pairs instead of tokens");
  check_range("Batches", "bucket", options.bucket, 0, "0 disables sorting");
  if (pairs_.empty()) fail("Batches: no pairs; give at least one");
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    check_pair("Batches", pairs_[i], i);
    check_length(pairs_[i], i, options.tokens);
  }
  plan_ = plan(0);
}

Batch Batches::next() {
  if (state_.position == batches_in_epoch()) set_state({state_.epoch + 1, 0});
  const auto [first, size] = plan_.cuts[state_.position];
  std::vector<Pair> chosen;
  for (std::int64_t i = first; i < first + size; ++i) chosen.push_back(pairs_[plan_.order[i]]);
  ++state_.position;
  return make_batch(chosen);
}

std::int64_t Batches::batches_in_epochs(std::int64_t epochs) const {
  if (epochs < 1)
    fail("Batches::batches_in_epochs: the number of epochs is ", epochs, ", but must be at least 1");
  if (options_.tokens == 0) return epochs * std::ssize(plan_.cuts);
  std::int64_t batches = 0;
  for (std::int64_t epoch = 0; epoch < epochs; ++epoch) batches += std::ssize(plan(epoch).cuts);
  return batches;
}

void Batches::set_state(State state) {
  if (state.epoch < 0) {
    fail("Batches::set_state: the epoch is ", state.epoch,
         ", but must be at least 0; pass a value returned by state()");
  }
  Plan planned = plan(state.epoch);
  if (state.position < 0 || state.position > std::ssize(planned.cuts)) {
    fail("Batches::set_state: the position is ", state.position, ", but epoch ", state.epoch, " has ",
         planned.cuts.size(), " batches; resume with the original pairs and options");
  }
  plan_ = std::move(planned);
  state_ = state;
}

std::uint64_t Batches::fingerprint() const {
  std::uint64_t hash = stable_hash(std::array<std::int64_t, 5>{
      options_.sentences, options_.tokens, as_id(options_.seed), options_.shuffle, options_.bucket});
  for (const Pair& pair : pairs_) {
    // The source's length shows where the target begins, so that different pairs give different lists.
    std::vector<std::int64_t> ids = {as_id(hash), std::ssize(pair.source)};
    ids.insert(ids.end(), pair.source.begin(), pair.source.end());
    ids.insert(ids.end(), pair.target.begin(), pair.target.end());
    hash = stable_hash(ids);
  }
  return hash;
}

Batches::Plan Batches::plan(std::int64_t epoch) const {
  const std::int64_t size = std::ssize(pairs_);
  Plan result;
  if (options_.shuffle) {
    result.order = permutation(size, options_.seed, epoch, Shuffled::pairs);
  } else {
    result.order.resize(size);
    std::iota(result.order.begin(), result.order.end(), 0);
  }

  const std::int64_t bucket_size = pairs_in_bucket();
  for (std::int64_t start = 0; start < size; start += bucket_size) {
    const auto bucket = std::span(result.order).subspan(start, std::min(bucket_size, size - start));
    if (options_.bucket > 0) sort_by_length(bucket);
    for (std::int64_t i = 0; i < std::ssize(bucket);) {
      const std::int64_t batch = pairs_in_batch(bucket.subspan(i));
      result.cuts.push_back({start + i, batch});
      i += batch;
    }
  }

  if (options_.shuffle) {
    const std::vector<Cut> cuts = result.cuts;
    const auto order = permutation(std::ssize(cuts), options_.seed, epoch, Shuffled::batches);
    std::ranges::transform(order, result.cuts.begin(), [&](std::int64_t i) { return cuts[i]; });
  }
  return result;
}

void Batches::sort_by_length(std::span<std::int64_t> bucket) const {
  // Sorts by target length first, because each target token costs a decoder step and a row of logits.
  std::ranges::stable_sort(bucket, {}, [&](std::int64_t i) {
    return std::pair(pairs_[i].target.size(), pairs_[i].source.size());
  });
}

// The number of pairs per bucket; all pairs if sorting is disabled.
std::int64_t Batches::pairs_in_bucket() const {
  const std::int64_t size = std::ssize(pairs_);
  if (options_.bucket == 0) return size;
  if (options_.tokens == 0) return options_.bucket * options_.sentences;
  std::int64_t all = 0;
  for (const Pair& pair : pairs_) all += token_count(pair);
  const std::int64_t at_mean_length = std::max<std::int64_t>(1, options_.tokens * size / all);
  return options_.bucket * at_mean_length;
}

// The number of pairs at the front of `order` that form the next batch.
std::int64_t Batches::pairs_in_batch(std::span<const std::int64_t> order) const {
  if (options_.tokens == 0) return std::min<std::int64_t>(options_.sentences, std::ssize(order));
  std::int64_t source_steps = 0, target_steps = 0, count = 0;
  for (const std::int64_t i : order) {
    source_steps = std::max<std::int64_t>(source_steps, std::ssize(pairs_[i].source));
    target_steps = std::max<std::int64_t>(target_steps, std::ssize(pairs_[i].target));
    if ((count + 1) * (source_steps + target_steps) > options_.tokens) break;
    ++count;
  }
  return count;
}

}  // namespace gradus::data
