#include <gradus/data/split.hpp>
#include <gradus/error.hpp>

#include <set>
#include <string>
#include <vector>

#include "catch.hpp"

using Catch::Matchers::Message;
using gradus::Error;
using namespace gradus::data;

namespace {

std::set<std::string> sources(const std::vector<SentencePair>& pairs) {
  std::set<std::string> found;
  for (const SentencePair& pair : pairs) found.insert(pair.source);
  return found;
}

}  // namespace

TEST_CASE("a part depends only on the source, and is the same in every version", "[data][split]") {
  CHECK(part_of("a", 0, 16) == Part::test);  // its hash is 15 mod 100
  CHECK(part_of("a", 0, 15) == Part::train);
  CHECK(part_of("a", 85, 15) == Part::dev);
  CHECK(part_of("go .", 0, 69) == Part::test);  // its hash is 68 mod 100
  CHECK(part_of("go .", 0, 68) == Part::train);
  CHECK(part_of("go .", 32, 68) == Part::dev);
  CHECK(part_of("你好。", 0, 76) == Part::test);  // its hash is 75 mod 100
  CHECK(part_of("你好。", 0, 75) == Part::train);
  CHECK(part_of("你好。", 25, 75) == Part::dev);
  CHECK(part_of("he's calm .", 0, 12) == Part::test);  // its hash is 11 mod 100
  CHECK(part_of("he's calm .", 0, 11) == Part::train);
  CHECK(part_of("he's calm .", 89, 11) == Part::dev);
}

TEST_CASE("a corpus is split by its sources", "[data][split]") {
  std::vector<SentencePair> pairs;
  for (int i = 0; i < 2000; ++i) {
    pairs.push_back({"source " + std::to_string(i % 1000), "target " + std::to_string(i)});
  }
  const Split split = split_by_source(pairs, 10, 20);
  CHECK(split.train.size() + split.dev.size() + split.test.size() == 2000);
  // Each source has two pairs, which are in the same part. So each part has twice as many pairs as sources.
  CHECK(split.train.size() == 2 * sources(split.train).size());
  CHECK(split.dev.size() == 2 * sources(split.dev).size());
  CHECK(split.test.size() == 2 * sources(split.test).size());
  CHECK((140 <= split.dev.size() && split.dev.size() <= 260));  // within 3.2 standard deviations
  CHECK((320 <= split.test.size() && split.test.size() <= 480));

  std::vector<SentencePair> kept;  // the pairs of dev, in their original order
  for (const SentencePair& pair : pairs) {
    if (part_of(pair.source, 10, 20) == Part::dev) kept.push_back(pair);
  }
  CHECK((split.dev == kept));
  CHECK(split_by_source(pairs, 0, 0).train.size() == 2000);
  CHECK(split_by_source(pairs, 100, 0).dev.size() == 2000);
  CHECK(split_by_source(pairs, 0, 100).test.size() == 2000);
}

TEST_CASE("invalid shares are refused", "[data][split]") {
  CHECK_THROWS_MATCHES(part_of("a", -1, 10), Error,
                       Message("part_of: dev_percent is -1 and test_percent 10, but must be at least 0 and "
                               "together at most 100; the rest is for training"));
  CHECK_THROWS_MATCHES(split_by_source({}, 60, 41), Error,
                       Message("split_by_source: dev_percent is 60 and test_percent 41, but must be at least "
                               "0 and together at most 100; the rest is for training"));
  CHECK_THROWS_AS(part_of("a", 0, -1), Error);
}
