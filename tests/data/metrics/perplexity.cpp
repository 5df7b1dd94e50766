#include <gradus/data/perplexity.hpp>

#include <cmath>

#include "catch.hpp"

using gradus::data::perplexity;

TEST_CASE("perplexity is the number of tokens to choose from", "[data][metrics]") {
  CHECK(perplexity(5 * std::log(50.), 5) == Catch::Approx(50));
  CHECK(perplexity(0, 3) == 1);
  CHECK(std::isnan(perplexity(0, 0)));
}
