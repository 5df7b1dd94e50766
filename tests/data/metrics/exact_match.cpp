#include <gradus/data/exact_match.hpp>
#include <gradus/error.hpp>

#include <cmath>
#include <span>
#include <vector>

#include "catch.hpp"

using Catch::Matchers::Message;
using gradus::Error;
using gradus::data::exact_match;
using gradus::data::ExactMatchByLength;

using Ids = std::vector<std::int64_t>;

namespace {

bool matches(const Ids& prediction, const Ids& target) {
  return gradus::data::matches_exactly(prediction, target);
}

}  // namespace

TEST_CASE("a prediction is compared up to and including EOS", "[data][metrics]") {
  CHECK(matches({5, 4, 3, 2}, {5, 4, 3, 2}));
  CHECK(matches({2}, {2}));
  CHECK(matches({5, 4, 2, 9, 0}, {5, 4, 2}));
  CHECK(matches({5, 4, 2}, {5, 4, 2, 0, 0}));

  CHECK_FALSE(matches({5, 3, 2}, {5, 4, 2}));
  CHECK_FALSE(matches({5, 4}, {5, 4, 2}));        // no EOS
  CHECK_FALSE(matches({5, 2}, {5, 4, 2}));        // ends early
  CHECK_FALSE(matches({5, 2, 2}, {5, 4, 2}));     // ends early, although the last token is equal
  CHECK_FALSE(matches({5, 4, 4, 2}, {5, 4, 2}));  // ends late
  CHECK_FALSE(matches({}, {2}));

  CHECK_THROWS_MATCHES(matches({5}, {5, 4}), Error,
                       Message("matches_exactly: the target has no EOS (2); append it"));
}

TEST_CASE("exact match is the fraction that matches", "[data][metrics]") {
  const std::vector<Ids> targets = {{3, 2}, {4, 2}, {5, 2}, {6, 2}};
  const std::vector<Ids> predictions = {{3, 2}, {4, 4, 2}, {5, 2, 7}, {6, 2}};
  CHECK(exact_match(predictions, targets) == 0.75);
  CHECK(exact_match(targets, targets) == 1.0);
  CHECK(std::isnan(exact_match({}, {})));
  CHECK_THROWS_MATCHES(
      exact_match(std::span(predictions).first(3), targets), Error,
      Message("exact_match: found 3 predictions for 4 targets; give one prediction per target"));
}

TEST_CASE("exact match is counted for each source length", "[data][metrics]") {
  ExactMatchByLength table;
  CHECK(std::isnan(table.total().fraction()));
  table.add(7, false);
  table.add(3, true);
  table.add(7, true);
  table.add(7, true);
  table.add(7, true);

  REQUIRE(table.rows().size() == 2);
  CHECK(table.rows().begin()->first == 3);
  CHECK(table.rows().at(3).count == 1);
  CHECK(table.rows().at(3).fraction() == 1.0);
  CHECK(table.rows().at(7).count == 4);
  CHECK(table.rows().at(7).right == 3);
  CHECK(table.rows().at(7).fraction() == 0.75);
  CHECK(table.total().fraction() == 0.8);

  CHECK_THROWS_MATCHES(table.add(0, true), Error,
                       Message("ExactMatchByLength::add: source_length is 0, but must be at least 1; "
                               "give the length without padding"));
  CHECK(table.total().count == 5);
}
