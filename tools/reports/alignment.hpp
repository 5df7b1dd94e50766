#pragma once

#include <gradus/data/sentence_pair.hpp>
#include <gradus/models/decoded.hpp>
#include <gradus/models/ensemble.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "files/corpus.hpp"

namespace gradus::tools {

/// A sentence and, optionally, its translation.
struct SentenceToAlign {
  std::string source;
  std::optional<std::string> target;
};

/// Attention weights over a source for each target token.
struct Alignment {
  data::SentencePair text;
  std::vector<std::string> source_tokens;
  std::vector<std::string> target_tokens;  ///< with <eos>, unless truncated
  models::Decoded decoded;                 ///< weights (target tokens, source tokens)
  /// For a source of sound: its frames (T, bands). Undefined for text. With sound, the source tokens are
  /// times: the second at which each annotation begins.
  Tensor frames = {};
};

/// Computes the attention weights of each sentence. Feeds the target to the model; a sentence without a
/// target is decoded greedily. The weights are undefined tensors if the model has no attention.
/// @param model in eval mode
/// @throws Error if Frames::read() throws, and for a sentence that has no tokens or is not UTF-8. The message
/// names this sentence's number, counted from 1.
std::vector<Alignment> make_alignments(const models::Ensemble& model, const Sides& sides,
                                       std::span<const SentenceToAlign> sentences);

}  // namespace gradus::tools
