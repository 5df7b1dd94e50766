#pragma once

#include <gradus/data/tokens.hpp>
#include <gradus/models/decoded.hpp>
#include <gradus/models/seq2seq.hpp>

#include <cstdint>
#include <span>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::models {

/// What a model says of a given target: its tokens, where the model looked for each, and how likely each was.
struct Forced : Decoded {
  /// Whether each token was the one that greedy decoding would have written after the same beginning.
  std::vector<bool> likeliest;
};

/// Gives the model each pair's target token by token, in the batches of decode(). From this come perplexity,
/// e^(−Σ ln p / tokens), token accuracy, and alignments of known translations. A target without EOS is taken
/// for an output that ran out of steps.
/// @throws Error when a source is empty, a target holds PAD, BOS, or EOS before its end, or a token is
/// outside the vocabulary.
std::vector<Forced> force(const Seq2Seq& model, std::span<const data::Pair> pairs,
                          std::int64_t batch_tokens = 4096);

}  // namespace gradus::models
#pragma GCC visibility pop
