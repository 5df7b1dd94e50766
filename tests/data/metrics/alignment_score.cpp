#include <gradus/data/alignment_score.hpp>
#include <gradus/error.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include "catch.hpp"

using Catch::Matchers::Message;
using gradus::Error;
using gradus::data::AlignmentScore;

TEST_CASE("an alignment is scored by its largest weight and by the weight at the true position",
          "[data][metrics]") {
  AlignmentScore score;
  CHECK(std::isnan(score.accuracy()));
  CHECK(std::isnan(score.mean_weight()));

  score.add(std::vector<double>{0.25, 0.625, 0.125}, 1);  // right
  score.add(std::vector<double>{0.25, 0.625, 0.125}, 2);  // wrong
  score.add(std::vector<float>{0.5F, 0.5F}, 0);           // a tie: the first counts as the largest
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

TEST_CASE("an invalid row or position is refused", "[data][metrics]") {
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
  CHECK_THROWS_MATCHES(
      score.add(std::vector<double>{0.5, std::numeric_limits<double>::quiet_NaN()}, 0), Error,
      Message("AlignmentScore::add: the weight at position 1 is NaN; check the model for where it arises"));
  CHECK(score.steps == 0);
}
