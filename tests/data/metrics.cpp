#include <gradus/data/metrics.hpp>
#include <gradus/error.hpp>

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "catch.hpp"

using Catch::Matchers::Message;
using gradus::Error;
using gradus::data::AlignmentScore;
using gradus::data::exact_match;
using gradus::data::ExactMatchByLength;

using Ids = std::vector<std::int64_t>;

namespace {

bool matches(const Ids& prediction, const Ids& target) {
  return gradus::data::matches_exactly(prediction, target);
}

}  // namespace

TEST_CASE("a prediction is read up to and including EOS", "[data][metrics]") {
  CHECK(matches({5, 4, 3, 2}, {5, 4, 3, 2}));
  CHECK(matches({2}, {2}));
  CHECK(matches({5, 4, 2, 9, 0}, {5, 4, 2}));
  CHECK(matches({5, 4, 2}, {5, 4, 2, 0, 0}));

  CHECK_FALSE(matches({5, 3, 2}, {5, 4, 2}));
  CHECK_FALSE(matches({5, 4}, {5, 4, 2}));        // never ended
  CHECK_FALSE(matches({5, 2}, {5, 4, 2}));        // ended early
  CHECK_FALSE(matches({5, 2, 2}, {5, 4, 2}));     // ended early, then right again
  CHECK_FALSE(matches({5, 4, 4, 2}, {5, 4, 2}));  // ended late
  CHECK_FALSE(matches({}, {2}));

  CHECK_THROWS_MATCHES(
      matches({5}, {5, 4}), Error,
      Message("matches_exactly: the target holds no EOS (2); append it, targets end in EOS"));
}

TEST_CASE("exact match is the fraction that matches", "[data][metrics]") {
  const std::vector<Ids> targets = {{3, 2}, {4, 2}, {5, 2}, {6, 2}};
  const std::vector<Ids> predictions = {{3, 2}, {4, 4, 2}, {5, 2, 7}, {6, 2}};
  CHECK(exact_match(predictions, targets) == 0.75);
  CHECK(exact_match(targets, targets) == 1.0);
  CHECK(std::isnan(exact_match({}, {})));
  CHECK_THROWS_MATCHES(
      exact_match(std::span(predictions).first(3), targets), Error,
      Message("exact_match: there are 3 predictions for 4 targets; give one prediction for each"));
}

TEST_CASE("exact match is kept for each source length", "[data][metrics]") {
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

TEST_CASE("an alignment is scored by its largest weight and by the weight in the true place",
          "[data][metrics]") {
  AlignmentScore score;
  CHECK(std::isnan(score.accuracy()));
  CHECK(std::isnan(score.mean_weight()));

  score.add(std::vector<double>{0.25, 0.625, 0.125}, 1);  // right
  score.add(std::vector<double>{0.25, 0.625, 0.125}, 2);  // wrong
  score.add(std::vector<float>{0.5F, 0.5F}, 0);           // a tie: the first is the largest
  score.add(std::vector<float>{0.5F, 0.5F}, 1);
  CHECK(score.steps == 4);
  CHECK(score.right == 2);
  CHECK(score.weight_sum == 1.75);
  CHECK(score.accuracy() == 0.5);
  CHECK(score.mean_weight() == 0.4375);

  AlignmentScore all = {4, 4, 2.25};
  all += score;
  CHECK(all.steps == 8);
  CHECK(all.right == 6);
  CHECK(all.weight_sum == 4.0);
}

TEST_CASE("a row of weights that cannot be scored is refused", "[data][metrics]") {
  AlignmentScore score;
  const std::vector<double> row = {0.5, 0.25, 0.25};
  CHECK_THROWS_MATCHES(
      score.add(row, 3), Error,
      Message("AlignmentScore::add: true_position is 3, but must be inside the row of 3 weights; "
              "positions count from 0"));
  CHECK_THROWS_MATCHES(
      score.add(row, -1), Error,
      Message("AlignmentScore::add: true_position is -1, but must be inside the row of 3 weights; "
              "positions count from 0"));
  CHECK_THROWS_MATCHES(
      score.add(std::vector<float>{}, 0), Error,
      Message("AlignmentScore::add: true_position is 0, but must be inside the row of 0 weights; "
              "positions count from 0"));
  CHECK_THROWS_MATCHES(score.add(std::vector<double>{0.5, std::numeric_limits<double>::quiet_NaN()}, 0),
                       Error,
                       Message("AlignmentScore::add: the weight at position 1 is NaN; "
                               "look for its source in the model"));
  CHECK(score.steps == 0);
}
