#pragma once

#include <cstdint>

#pragma GCC visibility push(default)
namespace gradus::models {

/// The tokens that a search may write, as in fairseq and OpenNMT (`min_length`, `no_repeat_ngram_size`). A
/// search takes a forbidden token for one of probability 0; the probabilities of the others stay the model's
/// own, without normalisation, and so do the log-probabilities of its results.
///
/// Blocking of n-grams takes precedence: if it leaves no ordinary token, EOS may follow before `min_length`.
/// The maximum number of steps takes precedence over both.
struct Constraints {
  std::int64_t min_length = 0;       ///< ≥ 0: EOS may follow only after this number of tokens
  std::int64_t no_repeat_ngram = 0;  ///< n ≥ 0: no n successive tokens occur twice in an output; 0: any may
};

}  // namespace gradus::models
#pragma GCC visibility pop
