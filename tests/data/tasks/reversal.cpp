#include <gradus/data/reversal.hpp>
#include <gradus/error.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"

using Catch::Matchers::Message;
using gradus::Error;
using gradus::data::first_symbol;
using gradus::data::Pair;
using gradus::data::Reversal;
using gradus::data::UniformIndex;

using Ids = std::vector<std::int64_t>;

namespace {

// Uniform indices below n, the same on all platforms: the standard specifies mt19937_64's output. The modulo
// bias is negligible.
UniformIndex uniform(std::uint64_t seed) {
  return [engine = std::mt19937_64(seed)](std::uint64_t n) mutable { return engine() % n; };
}

// The string whose symbols are the decimal digits of `number`. Counting `number` up enumerates all strings.
Ids digits(std::uint64_t number, std::int64_t length) {
  Ids ids(length);
  for (auto id = ids.rbegin(); id != ids.rend(); ++id, number /= 10) {
    *id = first_symbol + static_cast<std::int64_t>(number % 10);
  }
  return ids;
}

std::uint64_t count_strings(std::int64_t length) {
  std::uint64_t strings = 1;
  for (std::int64_t i = 0; i < length; ++i) strings *= 10;
  return strings;
}

std::set<Ids> sources(const std::vector<Pair>& pairs) {
  std::set<Ids> set;
  for (const Pair& pair : pairs) set.insert(pair.source);
  return set;
}

}  // namespace

TEST_CASE("a target is the reverse, then EOS", "[data][reversal]") {
  const Reversal task;
  CHECK(task.make({3, 4, 5}) == Pair{{3, 4, 5}, {5, 4, 3, 2}});
  CHECK(task.make({12}) == Pair{{12}, {12, 2}});
  CHECK(task.make(Ids(40, 7)).target.size() == 41);
}

TEST_CASE("the task reports its sizes", "[data][reversal]") {
  const Reversal task(4, 2, 6);
  CHECK(task.symbols() == 4);
  CHECK(task.min_length() == 2);
  CHECK(task.max_length() == 6);
  CHECK(task.vocabulary_size() == 7);
  CHECK(Reversal().vocabulary_size() == 13);
}

TEST_CASE("a fifth is held out at every length", "[data][reversal]") {
  for (std::int64_t length = 3; length <= 12; ++length) {
    CAPTURE(length);
    const std::uint64_t strings = count_strings(length), tried = std::min<std::uint64_t>(strings, 20'000);
    const UniformIndex draw = uniform(length);
    int held_out = 0;
    for (std::uint64_t i = 0; i < tried; ++i) {
      held_out += Reversal::held_out(digits(tried == strings ? i : draw(strings), length));
    }
    const double fraction = held_out / static_cast<double>(tried);
    CHECK(fraction > 0.18);
    CHECK(fraction < 0.22);
  }
}

TEST_CASE("being held out does not depend on the symbol at one position", "[data][reversal]") {
  for (std::size_t place = 0; place < 4; ++place) {
    std::map<std::int64_t, int> held_out;
    for (std::uint64_t i = 0; i < 10'000; ++i) {
      const Ids source = digits(i, 4);
      held_out[source[place]] += Reversal::held_out(source);
    }
    for (const auto& [symbol, count] : held_out) {
      CAPTURE(place, symbol);
      CHECK(count > 150);  // 200 of 1000 expected
      CHECK(count < 250);
    }
  }
}

TEST_CASE("the split is the same in every version", "[data][reversal]") {
  CHECK(Reversal::held_out(Ids{5, 4, 3}));
  CHECK(Reversal::held_out(Ids{3, 3, 5}));
  CHECK_FALSE(Reversal::held_out(Ids{3, 4, 5}));
  CHECK_FALSE(Reversal::held_out(Ids{3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 12, 3}));
  CHECK(Reversal().held_out_pairs(3, uniform(1)).size() == 214);
}

TEST_CASE("training pairs are never held out, and have every length and symbol", "[data][reversal]") {
  const Reversal task;
  const UniformIndex draw = uniform(1);
  std::map<std::size_t, int> lengths;
  std::map<std::int64_t, int> first_symbols;
  int held_out = 0, wrong = 0;
  for (int i = 0; i < 10'000; ++i) {
    const Pair pair = task.sample_training(draw);
    held_out += Reversal::held_out(pair.source);
    wrong += pair != task.make(pair.source);
    ++lengths[pair.source.size()];
    ++first_symbols[pair.source.front()];
  }
  CHECK(held_out == 0);
  CHECK(wrong == 0);

  REQUIRE(lengths.size() == 10);
  CHECK(lengths.begin()->first == 3);
  CHECK(lengths.rbegin()->first == 12);
  for (const auto& [length, count] : lengths) {
    CAPTURE(length);
    CHECK(count > 850);  // 1000 expected, with a standard deviation of 30
    CHECK(count < 1150);
  }
  REQUIRE(first_symbols.size() == 10);
  CHECK(first_symbols.begin()->first == 3);
  CHECK(first_symbols.rbegin()->first == 12);
  for (const auto& [symbol, count] : first_symbols) {
    CAPTURE(symbol);
    CHECK(count > 850);
    CHECK(count < 1150);
  }
}

TEST_CASE("the smallest task can be trained at every length", "[data][reversal]") {
  for (std::int64_t length = 1; length <= 12; ++length) {
    CAPTURE(length);
    const Pair pair = Reversal(2, length, length).sample_training(uniform(length));
    CHECK(std::ssize(pair.source) == length);
    CHECK_FALSE(Reversal::held_out(pair.source));
  }
}

TEST_CASE("all held-out pairs of a short length come in order", "[data][reversal]") {
  const Reversal task;
  std::vector<Pair> expected;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    if (Reversal::held_out(digits(i, 3))) expected.push_back(task.make(digits(i, 3)));
  }
  CHECK(task.held_out_pairs(3, uniform(1)) == expected);
  CHECK(task.held_out_pairs(3, uniform(2), std::ssize(expected)) == expected);
  CHECK(Reversal(3, 1, 3).held_out_pairs(1, uniform(1)).empty());
}

TEST_CASE("a sample of many held-out pairs has no duplicates", "[data][reversal]") {
  const Reversal task;
  // held_out_pairs() enumerates the sources of lengths 4 and 5, and draws longer sources by rejection.
  // Training has no sources of length 20.
  for (const std::int64_t length : {4, 5, 6, 12, 20}) {
    CAPTURE(length);
    const std::vector<Pair> pairs = task.held_out_pairs(length, uniform(length));
    CHECK(pairs.size() == 500);
    CHECK(sources(pairs).size() == 500);
    for (const Pair& pair : pairs) {
      REQUIRE(std::ssize(pair.source) == length);
      REQUIRE(Reversal::held_out(pair.source));
      REQUIRE(pair == task.make(pair.source));
    }
  }
  const std::vector<Pair> all_but_one = task.held_out_pairs(3, uniform(3), 213);
  CHECK(sources(all_but_one).size() == 213);
}

TEST_CASE("held-out pairs are sampled uniformly", "[data][reversal]") {
  const Reversal task;
  std::map<Ids, int> drawn;
  const UniformIndex draw = uniform(1);
  for (int i = 0; i < 2140; ++i) ++drawn[task.held_out_pairs(3, draw, 10).front().source];
  // Each source is drawn 10 times on average. The probability that some source is never drawn is 1 %.
  CHECK(drawn.size() == 214);
  for (const auto& [source, count] : drawn) CHECK(count < 30);
}

TEST_CASE("the same draws give the same pairs", "[data][reversal]") {
  const Reversal task;
  const auto training = [&](std::uint64_t seed) {
    const UniformIndex draw = uniform(seed);
    std::vector<Pair> pairs;
    for (int i = 0; i < 20; ++i) pairs.push_back(task.sample_training(draw));
    return pairs;
  };
  CHECK(training(1) == training(1));
  CHECK(training(1) != training(2));
  for (const std::int64_t length : {4, 8}) {
    CHECK(task.held_out_pairs(length, uniform(1)) == task.held_out_pairs(length, uniform(1)));
    CHECK(task.held_out_pairs(length, uniform(1)) != task.held_out_pairs(length, uniform(2)));
  }
}

TEST_CASE("tokens print as letters", "[data][reversal]") {
  const Reversal task;
  CHECK(task.text(task.make({3, 4, 12}).target) == "j b a <eos>");
  CHECK(task.text(Ids{0, 1, 2}) == "<pad> <bos> <eos>");
  CHECK(task.text(Ids{}).empty());
  CHECK(Reversal(100).text(Ids{28, 29, 102}) == "z s26 s99");
}

TEST_CASE("arguments out of range are refused", "[data][reversal]") {
  CHECK_THROWS_MATCHES(Reversal(1), Error,
                       Message("Reversal: symbols is 1, but must be 2 to 1000000; "
                               "reversing needs at least two"));
  CHECK_THROWS_MATCHES(Reversal(1'000'001), Error,
                       Message("Reversal: symbols is 1000001, but must be 2 to 1000000; "
                               "reversing needs at least two"));
  CHECK_THROWS_MATCHES(Reversal(10, 0), Error,
                       Message("Reversal: min_length is 0, but must be 1 to 1000000; "
                               "attention needs at least one position"));
  CHECK_THROWS_MATCHES(Reversal(10, 5, 4), Error,
                       Message("Reversal: max_length is 4, but must be 5 to 1000000; "
                               "raise it or lower min_length"));

  const Reversal task;
  CHECK_THROWS_MATCHES(task.make({}), Error,
                       Message("Reversal::make: the source is empty; give it at least one symbol"));
  CHECK_THROWS_MATCHES(task.make({3, 4, 13}), Error,
                       Message("Reversal::make: source[2] is 13, but symbols are 3 to 12; "
                               "number symbols from first_symbol, and omit BOS and EOS"));
  CHECK_THROWS_MATCHES(task.make({3, 2}), Error,
                       Message("Reversal::make: source[1] is 2, but symbols are 3 to 12; "
                               "number symbols from first_symbol, and omit BOS and EOS"));
  CHECK_THROWS_MATCHES(task.held_out_pairs(0, uniform(1)), Error,
                       Message("Reversal::held_out_pairs: length is 0, but must be 1 to 1000000; "
                               "a source needs at least one symbol"));
  CHECK_THROWS_MATCHES(task.held_out_pairs(3, uniform(1), 0), Error,
                       Message("Reversal::held_out_pairs: limit is 0, but must be 1 to 1000000; "
                               "request at least one pair"));
  for (const std::int64_t id : {-1, 13}) {
    CHECK_THROWS_MATCHES(task.token_text(id), Error,
                         Message("Reversal::token_text: the id is " + std::to_string(id) +
                                 ", but must be 0 to 12; use a model with vocabulary_size() tokens"));
  }
}

TEST_CASE("non-uniform draws end in an error, not in an endless loop", "[data][reversal]") {
  const Reversal task;
  // Random numbers with which the task always draws the source 5 4 3, which is held out.
  const UniformIndex held_out = [i = 0](std::uint64_t n) mutable {
    if (n == 1) return std::uint64_t{0};
    return static_cast<std::uint64_t>(2 - i++ % 3);
  };
  CHECK_THROWS_MATCHES(Reversal(10, 3, 3).sample_training(held_out), Error,
                       Message("Reversal::sample_training: 1000 sources of length 3 in a row were held out; "
                               "check that `uniform` is uniform"));
  const UniformIndex constant = [](std::uint64_t) { return std::uint64_t{0}; };
  CHECK_FALSE(Reversal::held_out(Ids(6, 3)));
  CHECK_THROWS_MATCHES(task.held_out_pairs(6, constant), Error,
                       Message("Reversal::held_out_pairs: 1000 draws in a row gave no new held-out source of "
                               "length 6 after 0 of 500; check that `uniform` is uniform"));
}
