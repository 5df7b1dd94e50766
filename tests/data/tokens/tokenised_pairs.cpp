#include <gradus/data/tokenised_pairs.hpp>
#include <gradus/error.hpp>

#include <string>
#include <vector>

#include "catch.hpp"

using Catch::Matchers::Message;
using gradus::Error;
using namespace gradus::data;

namespace {

using Sentences = std::vector<std::vector<std::string>>;

const std::vector<SentencePair> pairs = {
    {"Go.", "Va !"}, {"I lost.", "J'ai perdu."}, {"No", "Certainement pas !"}};

TokenisedPairs tokenised() { return tokenise(pairs, Tokeniser({.lower = false}), Tokeniser()); }

}  // namespace

TEST_CASE("pairs are tokenised, each side by its own tokeniser", "[data][tokenised pairs]") {
  const TokenisedPairs result = tokenised();
  CHECK(result.size() == 3);
  CHECK(result.source == Sentences{{"Go", "."}, {"I", "lost", "."}, {"No"}});
  CHECK(result.target == Sentences{{"va", "!"}, {"j'", "ai", "perdu", "."}, {"certainement", "pas", "!"}});
}

TEST_CASE("pairs with both sides within the length limits are kept", "[data][tokenised pairs]") {
  CHECK(keep_lengths(tokenised(), 1, 4).source == tokenised().source);
  CHECK(keep_lengths(tokenised(), 2, 4).source == Sentences{{"Go", "."}, {"I", "lost", "."}});
  CHECK(keep_lengths(tokenised(), 2, 4).target == Sentences{{"va", "!"}, {"j'", "ai", "perdu", "."}});
  CHECK(keep_lengths(tokenised(), 1, 3).source == Sentences{{"Go", "."}, {"No"}});
  CHECK(keep_lengths(tokenised(), 5, 9).size() == 0);
  CHECK(keep_lengths({{{}}, {{"a"}}}, 1, 9).size() == 0);
  for (const auto& [min, max] : {std::pair(0, 4), std::pair(3, 2)}) {
    CHECK_THROWS_MATCHES(
        keep_lengths({}, min, max), Error,
        Message("keep_lengths: min is " + std::to_string(min) + " and max " + std::to_string(max) +
                ", but must be 1 <= min <= max; a model cannot learn from empty sentences"));
  }
}

TEST_CASE("tokenised pairs are encoded as ids, with EOS after targets", "[data][tokenised pairs]") {
  const TokenisedPairs result = tokenised();
  const Vocabulary source({"Go", "lost", "."}), target({"va", "!", "ai"});
  CHECK(encode(result, source, target) == std::vector<Pair>{{{4, 6}, {4, 5, eos}},
                                                            {{unk, 5, 6}, {unk, 6, unk, unk, eos}},
                                                            {{unk}, {unk, unk, 5, eos}}});
}
