#include <gradus/data/any_reference.hpp>
#include <gradus/error.hpp>

#include <cmath>
#include <vector>

#include "catch.hpp"

using Catch::Matchers::Message;
using gradus::Error;
using gradus::data::match_any_reference;
using gradus::data::MatchCount;
using gradus::data::References;
using gradus::data::SentencePair;

TEST_CASE("an answer is correct if it equals any reference of its source", "[data][metrics]") {
  const std::vector<SentencePair> pairs = {{"read", "R EH D"}, {"a", "AH"}, {"read", "R IY D"},
                                           {"cat", "K AE T"},  {"a", "EY"}, {"a", "AH"}};
  const References references = gradus::data::references_of(pairs);
  CHECK(references == References{{"a", {"AH", "EY"}}, {"cat", {"K AE T"}}, {"read", {"R EH D", "R IY D"}}});

  CHECK(match_any_reference({{"a", "EY"}, {"cat", "K AE D"}, {"read", "R IY D"}, {"dog", "D"}}, references) ==
        MatchCount{3, 2});
  CHECK(std::isnan(match_any_reference({}, {}).fraction()));
  CHECK_THROWS_MATCHES(
      match_any_reference({{"a", "AH"}, {"read", ""}}, references), Error,
      Message("match_any_reference: no answer for the source 'cat'; give one for each source"));
}
