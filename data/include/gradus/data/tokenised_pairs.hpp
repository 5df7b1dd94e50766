#pragma once

#include <gradus/data/parallel_text.hpp>
#include <gradus/data/tokeniser.hpp>
#include <gradus/data/tokens.hpp>
#include <gradus/data/vocabulary.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::data {

/// Tokenised sentence pairs: `target[i]` translates `source[i]`.
struct TokenisedPairs {
  std::vector<std::vector<std::string>> source, target;

  std::int64_t size() const { return std::ssize(source); }
};

/// @throws gradus::Error as `Tokeniser::split` does.
TokenisedPairs tokenise(std::span<const SentencePair> pairs, const Tokeniser& source,
                        const Tokeniser& target);

/// Keeps the pairs with `min` to `max` source tokens and `min` to `max` target tokens.
/// @throws gradus::Error unless 1 <= min <= max.
TokenisedPairs keep_lengths(TokenisedPairs pairs, std::int64_t min, std::int64_t max);

/// The pairs as ids; each target ends with EOS.
std::vector<Pair> encode(const TokenisedPairs& pairs, const Vocabulary& source, const Vocabulary& target);

}  // namespace gradus::data
#pragma GCC visibility pop
