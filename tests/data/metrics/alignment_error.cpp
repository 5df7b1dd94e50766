#include <gradus/data/alignment_error.hpp>
#include <gradus/error.hpp>

#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "catch.hpp"

using Catch::Matchers::Message;
using gradus::Error;
using gradus::data::AlignmentError;
using gradus::data::Link;
using gradus::data::strongest_links;

using Links = std::set<Link>;

TEST_CASE("alignment error counts sure links twice and does not penalise possible ones", "[data][metrics]") {
  AlignmentError error;
  CHECK(std::isnan(error.rate()));
  const Links sure = {{0, 0}, {1, 1}, {2, 3}}, possible = {{3, 2}, {3, 3}};
  error.add({{0, 0}, {1, 1}, {3, 2}, {4, 4}}, sure, possible);
  CHECK(error.links == 4);
  CHECK(error.sure == 3);
  CHECK(error.matching_sure == 2);
  CHECK(error.matching_possible == 3);
  CHECK(error.rate() == Catch::Approx(1 - 5. / 7));
  CHECK(error.precision() == 0.75);
  CHECK(error.recall() == Catch::Approx(2. / 3));

  AlignmentError perfect;
  perfect.add({{0, 0}, {1, 1}, {2, 3}, {3, 3}}, sure, possible);
  CHECK(perfect.rate() == 0);
  AlignmentError again;  // the possible links may contain the sure links
  again.add({{0, 0}, {1, 1}, {2, 3}, {3, 3}}, sure, {{0, 0}, {1, 1}, {2, 3}, {3, 2}, {3, 3}});
  CHECK(again.rate() == 0);

  error += perfect;
  CHECK(error.rate() == Catch::Approx(1 - 12. / 14));
}

TEST_CASE("every target word is linked to the source word with the largest weight", "[data][metrics]") {
  const std::vector<float> weights = {0.1F, 0.7F, 0.2F, 0.6F, 0.3F, 0.1F, 0.2F, 0.4F, 0.4F};
  CHECK(strongest_links(weights, 3) == Links{{1, 0}, {0, 1}, {1, 2}});
  CHECK(strongest_links(std::vector<double>{0.25, 0.75}, 1) == Links{{0, 0}, {0, 1}});
  CHECK(strongest_links(std::vector<double>{}, 4).empty());
}

TEST_CASE("invalid weights are refused", "[data][metrics]") {
  CHECK_THROWS_MATCHES(
      strongest_links(std::vector<double>(7), 3), Error,
      Message("strongest_links: found 7 weights, which is not a multiple of source_steps = 3; give "
              "them as (target_steps, source_steps)"));
  CHECK_THROWS_MATCHES(
      strongest_links(std::vector<double>(7), 0), Error,
      Message("strongest_links: source_steps is 0, but must be 1 to 1000000; a row of weights must cover the "
              "source"));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_MATCHES(
      strongest_links(std::vector<double>{1, 0, 0, nan}, 2), Error,
      Message("strongest_links: the weight at position 1 is NaN; check the model for where it arises"));
}
