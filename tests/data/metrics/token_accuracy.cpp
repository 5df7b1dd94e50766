#include <gradus/data/token_accuracy.hpp>
#include <gradus/error.hpp>

#include <cmath>
#include <vector>

#include "catch.hpp"

using Catch::Matchers::Message;
using gradus::Error;
using gradus::data::MatchCount;
using gradus::data::token_accuracy;

using Ids = std::vector<std::int64_t>;

TEST_CASE("tokens are compared one by one, except padding", "[data][metrics]") {
  CHECK(token_accuracy(Ids{5, 4, 2, 0, 7}, Ids{5, 3, 2, 0, 0}) == MatchCount{3, 2});
  CHECK(token_accuracy(Ids{0, 0}, Ids{3, 2}) == MatchCount{2, 0});
  CHECK(std::isnan(token_accuracy(Ids{0}, Ids{0}).fraction()));
  CHECK_THROWS_MATCHES(
      token_accuracy(Ids{3}, Ids{3, 2}), Error,
      Message("token_accuracy: found 1 predicted tokens for 2 target tokens; give one prediction per token"));
}
