#pragma once

#include <gradus/data/tokens.hpp>
#include <gradus/models/decoded.hpp>
#include <gradus/models/ensemble.hpp>

#include <cstdint>
#include <span>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::models {

/// A given target, with the model's attention weights and log-probability for each token.
struct Forced : Decoded {
  /// likeliest[t] is true if greedy decoding would choose tokens[t] after the same prefix.
  std::vector<bool> likeliest;
};

/// Scores each pair's target by teacher forcing, batched as in decode(). Use the result for token accuracy,
/// for alignments of known translations, and for perplexity, e^(−Σ ln p / tokens). A target without EOS
/// counts as an output cut off at the maximum length.
/// @throws Error if `batch_tokens` is below 1, a source is empty, a target contains PAD or BOS, a target
/// contains EOS before its end, or a token is outside the vocabulary.
std::vector<Forced> force_decode(const Ensemble& model, std::span<const data::Pair> pairs,
                                 std::int64_t batch_tokens = 4096);

}  // namespace gradus::models
#pragma GCC visibility pop
