#include <gradus/data/batches.hpp>
#include <gradus/error.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "catch.hpp"

using Catch::Matchers::Message;
using gradus::Error;
using gradus::data::Batch;
using gradus::data::Batches;
using gradus::data::BatchesOptions;
using gradus::data::Pair;

using Ids = std::vector<std::int64_t>;

namespace {

// Pairs whose lengths rise and fall. The first source token of pair i is 3 + i; numbers() reads i from it.
std::vector<Pair> numbered(std::int64_t count) {
  std::vector<Pair> pairs;
  for (std::int64_t i = 0; i < count; ++i) {
    Pair pair{Ids(1 + i * 7 % 13, 3), Ids(1 + i * 5 % 11, 3)};
    pair.source[0] = 3 + i;
    pair.target.back() = gradus::data::eos;
    pairs.push_back(pair);
  }
  return pairs;
}

Ids numbers(const Batch& batch) {
  Ids result;
  for (std::int64_t b = 0; b < batch.size; ++b) result.push_back(batch.source[b] - 3);
  return result;
}

// The numbers of the pairs in each batch of an epoch.
std::vector<Ids> epoch_of(Batches& batches) {
  std::vector<Ids> result;
  do {
    result.push_back(numbers(batches.next()));
  } while (batches.position() < batches.batches_in_epoch());
  return result;
}

Ids joined(const std::vector<Ids>& batches) {
  Ids all;
  for (const Ids& batch : batches) all.insert(all.end(), batch.begin(), batch.end());
  return all;
}

bool is_permutation_of_first(Ids ids, std::int64_t count) {
  std::ranges::sort(ids);
  for (std::int64_t i = 0; i < std::ssize(ids); ++i) {
    if (ids[i] != i) return false;
  }
  return std::ssize(ids) == count;
}

}  // namespace

TEST_CASE("every epoch contains every pair once, in a different order", "[data][batches]") {
  const BatchesOptions options =
      GENERATE(BatchesOptions{.sentences = 8, .bucket = 3}, BatchesOptions{.sentences = 8, .bucket = 0},
               BatchesOptions{.tokens = 90, .bucket = 2}, BatchesOptions{.tokens = 90, .bucket = 0});
  Batches batches(numbered(101), options);
  std::set<Ids> orders;
  for (std::int64_t epoch = 0; epoch < 4; ++epoch) {
    const Ids order = joined(epoch_of(batches));
    CHECK(batches.epoch() == epoch);
    CHECK(is_permutation_of_first(order, 101));
    orders.insert(order);
  }
  CHECK(orders.size() == 4);
}

TEST_CASE("every batch has the given number of pairs, except one batch with the rest", "[data][batches]") {
  Batches batches(numbered(101), {.sentences = 8, .bucket = 3});
  CHECK(batches.batches_in_epoch() == 13);
  std::map<std::size_t, int> sizes;
  for (const Ids& batch : epoch_of(batches)) ++sizes[batch.size()];
  CHECK(sizes == std::map<std::size_t, int>{{5, 1}, {8, 12}});
}

TEST_CASE("a batch limited by tokens holds as many pairs as fit", "[data][batches]") {
  Batches batches(numbered(300), {.tokens = 90});
  std::int64_t most = 0;
  do {
    const Batch batch = batches.next();
    const std::int64_t tokens = batch.size * (batch.source_steps + batch.target_steps);
    CHECK(tokens <= 90);
    most = std::max(most, tokens);
  } while (batches.position() < batches.batches_in_epoch());
  CHECK(most > 80);

  // If all lengths are equal, the predicted number of batches is exact.
  const std::vector<Pair> alike(10, Pair{{3, 3, 3}, {3, 2}});
  Batches four(alike, {.tokens = 24});
  CHECK(four.next().size == 4);
  CHECK(four.batches_in_epoch() == 3);
  CHECK(Batches(alike, {.tokens = 25}).next().size == 5);
}

TEST_CASE("sorting groups similar lengths into batches", "[data][batches]") {
  const auto padded = [](std::int64_t bucket) {
    Batches batches(numbered(400), {.sentences = 8, .bucket = bucket});
    std::int64_t tokens = 0;
    do {
      const Batch batch = batches.next();
      tokens += batch.size * (batch.source_steps + batch.target_steps);
    } while (batches.position() < batches.batches_in_epoch());
    return static_cast<double>(tokens);
  };
  CHECK(padded(50) < 0.75 * padded(0));
  CHECK(padded(50) < padded(5));
}

TEST_CASE("batches of sorted pairs come in random order", "[data][batches]") {
  Batches batches(numbered(400), {.sentences = 8, .bucket = 50});
  Ids steps;
  do steps.push_back(batches.next().target_steps);
  while (batches.position() < batches.batches_in_epoch());
  CHECK_FALSE(std::ranges::is_sorted(steps));
}

TEST_CASE("without shuffling and sorting the pairs keep their order", "[data][batches]") {
  Batches batches(numbered(10), {.sentences = 4, .shuffle = false, .bucket = 0});
  const std::vector<Ids> expected = {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9}};
  CHECK(epoch_of(batches) == expected);
  CHECK(epoch_of(batches) == expected);
}

TEST_CASE("without shuffling equal lengths keep their order", "[data][batches]") {
  const std::vector<Pair> pairs = {{{3, 3}, {2}}, {{4}, {3, 2}}, {{5}, {2}}, {{6}, {2}}};
  Batches batches(pairs, {.sentences = 2, .shuffle = false});
  CHECK(epoch_of(batches) == std::vector<Ids>{{2, 3}, {0, 1}});
}

TEST_CASE("batches resume exactly from a saved state", "[data][batches]") {
  const BatchesOptions options{.tokens = 90, .seed = 7, .bucket = 2};
  Batches whole(numbered(101), options);
  for (int i = 0; i < 40; ++i) {
    const Batches::State state = whole.state();
    Batches resumed(numbered(101), options);
    resumed.set_state(state);
    CHECK(resumed.state() == state);
    CHECK(resumed.batches_in_epoch() == whole.batches_in_epoch());
    Batches copy = whole;
    for (int k = 0; k < 15; ++k) CHECK((numbers(resumed.next()) == numbers(copy.next())));
    whole.next();
  }
  CHECK(whole.epoch() == 1);
}

TEST_CASE("the seed determines the order", "[data][batches]") {
  const auto first_epoch = [](std::uint64_t seed) {
    Batches batches(numbered(50), {.sentences = 8, .seed = seed});
    return epoch_of(batches);
  };
  CHECK((first_epoch(1) == first_epoch(1)));
  CHECK((first_epoch(1) != first_epoch(2)));
}

TEST_CASE("the order of an epoch is the same in every version", "[data][batches]") {
  Batches batches(numbered(8), {.sentences = 8, .bucket = 0});
  CHECK(numbers(batches.next()) == Ids{3, 6, 2, 1, 7, 5, 0, 4});
}

TEST_CASE("the fingerprint depends on pairs and options", "[data][batches]") {
  const std::vector<Pair> pairs = {{{3, 4}, {5, 2}}, {{6}, {2}}};
  const std::uint64_t same = Batches(pairs).fingerprint();
  CHECK(Batches(pairs).fingerprint() == same);
  CHECK(same == 0x8700fc58e9e01698);  // must never change

  Batches later(pairs);
  later.next();
  CHECK(later.fingerprint() == same);

  std::set<std::uint64_t> all = {same};
  for (const BatchesOptions& options :
       {BatchesOptions{.sentences = 65}, BatchesOptions{.tokens = 64}, BatchesOptions{.seed = 2},
        BatchesOptions{.shuffle = false}, BatchesOptions{.bucket = 99}}) {
    all.insert(Batches(pairs, options).fingerprint());
  }
  for (const std::vector<Pair>& other :
       {std::vector<Pair>{{{6}, {2}}, {{3, 4}, {5, 2}}}, std::vector<Pair>{{{3}, {4, 5, 2}}, {{6}, {2}}},
        std::vector<Pair>{{{3, 4}, {5, 2}}}, std::vector<Pair>{{{3, 4}, {5, 2}}, {{7}, {2}}}}) {
    all.insert(Batches(other).fingerprint());
  }
  CHECK(all.size() == 10);
}

TEST_CASE("invalid pairs and options of batches are refused", "[data][batches]") {
  const std::vector<Pair> pairs = {{{3}, {2}}, {{3, 4, 5}, {6, 2}}};
  CHECK_THROWS_MATCHES(Batches({}), Error, Message("Batches: no pairs; give at least one"));
  CHECK_THROWS_MATCHES(
      Batches(pairs, {.tokens = 4}), Error,
      Message("Batches: pair 1 has 5 tokens (3 source, 2 target), but a batch may have 4; drop the "
              "pair or raise `tokens`"));
  CHECK_NOTHROW(Batches(pairs, {.tokens = 5}));
  CHECK_THROWS_MATCHES(Batches({{{3}, {2}}, {{}, {2}}}), Error,
                       Message("Batches: the source of pair 1 is empty, but attention needs at least one "
                               "position; drop the pair"));
  CHECK_THROWS_MATCHES(Batches({{{3}, {3}}}), Error,
                       Message("Batches: the target of pair 0 does not end in EOS (2); append it"));
  CHECK_THROWS_MATCHES(
      Batches(pairs, {.sentences = 0}), Error,
      Message("Batches: sentences is 0, but must be 1 to 1000000; a batch needs at least one pair"));
  CHECK_THROWS_MATCHES(
      Batches(pairs, {.tokens = -1}), Error,
      Message("Batches: tokens is -1, but must be 0 to 1000000; 0 limits pairs instead of tokens"));
  CHECK_THROWS_MATCHES(Batches(pairs, {.bucket = -1}), Error,
                       Message("Batches: bucket is -1, but must be 0 to 1000000; 0 disables sorting"));
}

TEST_CASE("an invalid state is refused and changes nothing", "[data][batches]") {
  Batches batches(numbered(10), {.sentences = 4});
  batches.next();
  CHECK_THROWS_MATCHES(
      batches.set_state({-1, 0}), Error,
      Message(
          "Batches::set_state: the epoch is -1, but must be at least 0; pass a value returned by state()"));
  CHECK_THROWS_MATCHES(batches.set_state({2, 4}), Error,
                       Message("Batches::set_state: the position is 4, but epoch 2 has 3 batches; resume "
                               "with the original pairs and options"));
  CHECK_THROWS_MATCHES(batches.set_state({0, -1}), Error,
                       Message("Batches::set_state: the position is -1, but epoch 0 has 3 batches; resume "
                               "with the original pairs and options"));
  CHECK(batches.state() == Batches::State{0, 1});
}
