#include <gradus/data/tokenised_pairs.hpp>

#include <utility>

#include "check.hpp"

namespace gradus::data {

TokenisedPairs tokenise(std::span<const SentencePair> pairs, const Tokeniser& source,
                        const Tokeniser& target) {
  TokenisedPairs tokenised;
  for (const SentencePair& pair : pairs) {
    tokenised.source.push_back(source.split(pair.source));
    tokenised.target.push_back(target.split(pair.target));
  }
  return tokenised;
}

TokenisedPairs keep_lengths(TokenisedPairs pairs, std::int64_t min, std::int64_t max) {
  if (min < 1 || max < min) {
    fail("keep_lengths: min is ", min, " and max ", max,
         ", but must be 1 <= min <= max; a model cannot learn from empty sentences");
  }
  const auto fits = [&](const std::vector<std::string>& tokens) {
    return min <= std::ssize(tokens) && std::ssize(tokens) <= max;
  };
  TokenisedPairs kept;
  for (std::int64_t i = 0; i < pairs.size(); ++i) {
    if (!fits(pairs.source[i]) || !fits(pairs.target[i])) continue;
    kept.source.push_back(std::move(pairs.source[i]));
    kept.target.push_back(std::move(pairs.target[i]));
  }
  return kept;
}

std::vector<Pair> encode(const TokenisedPairs& pairs, const Vocabulary& source, const Vocabulary& target) {
  std::vector<Pair> encoded;
  for (std::int64_t i = 0; i < pairs.size(); ++i) {
    encoded.push_back({source.encode(pairs.source[i]), target.encode(pairs.target[i])});
    encoded.back().target.push_back(eos);
  }
  return encoded;
}

}  // namespace gradus::data
