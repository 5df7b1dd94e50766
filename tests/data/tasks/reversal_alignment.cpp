#include <gradus/data/reversal_alignment.hpp>
#include <gradus/error.hpp>

#include <vector>

#include "catch.hpp"

using Catch::Matchers::Message;
using gradus::Error;
using gradus::data::AlignmentScore;
using gradus::data::reversal_alignment;

TEST_CASE("reversing attends to the source from its last symbol to its first", "[data][reversal_alignment]") {
  // clang-format off
  const std::vector<double> weights = {0.125, 0.25,  0.5,  0.125,    // right
                                       0.0,   0.75,  0.0,  0.25,     // right
                                       0.125, 0.125, 0.25, 0.5};     // wrong: on the padding
  // clang-format on
  const AlignmentScore score = reversal_alignment(weights, 3, 4);
  CHECK(score.steps == 3);
  CHECK(score.right == 2);
  CHECK(score.weight_sum == 0.5 + 0.75 + 0.125);

  const std::vector<float> single(weights.begin(), weights.end());
  CHECK(reversal_alignment(single, 3, 4).right == 2);
  CHECK(reversal_alignment(single, 3, 4).weight_sum == 1.375);
}

TEST_CASE("weights of another shape are refused", "[data][reversal_alignment]") {
  const std::vector<double> weights(12);
  CHECK_THROWS_MATCHES(reversal_alignment(weights, 2, 4), Error,
                       Message("reversal_alignment: found 12 weights, but (length, source_steps) = (2, 4) "
                               "needs 8; omit the row of the EOS step"));
  CHECK_THROWS_MATCHES(reversal_alignment(weights, 4, 3), Error,
                       Message("reversal_alignment: source_steps is 3, but must be 4 to 1000000; "
                               "the weights must cover the whole source"));
  CHECK_THROWS_MATCHES(reversal_alignment(weights, 0, 3), Error,
                       Message("reversal_alignment: length is 0, but must be 1 to 1000000; "
                               "give the source's length without padding"));
}
