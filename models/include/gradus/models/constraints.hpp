#pragma once

#include <cstdint>

#pragma GCC visibility push(default)
namespace gradus::models {

/// Restricts the tokens that a search may write, as in fairseq and OpenNMT (`min_length`,
/// `no_repeat_ngram_size`). In a search, a forbidden token has probability 0. The log-probabilities in the
/// results are those that the model gives: the probabilities of the other tokens are not normalised again.
///
/// Blocking of n-grams takes precedence over `min_length`: if every ordinary token is blocked, the output
/// ends in EOS, even before `min_length`. The maximum number of steps takes precedence over both.
struct Constraints {
  std::int64_t min_length = 0;       ///< ≥ 0: EOS is forbidden before this number of tokens
  std::int64_t no_repeat_ngram = 0;  ///< n ≥ 0: no n-gram occurs twice in an output; 0 turns this off
};

}  // namespace gradus::models
#pragma GCC visibility pop
