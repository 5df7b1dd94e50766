#pragma once

#include <gradus/data/sentence_pair.hpp>
#include <gradus/models/decoded.hpp>
#include <gradus/models/seq2seq.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "corpus.hpp"

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
};

/// Forces the model to the given targets; decodes greedily where there is none. Weights are undefined without
/// attention.
/// @param model in eval mode
/// @throws Error naming the sentence, from 1, that has no token or is not UTF-8.
std::vector<Alignment> make_alignments(const models::Seq2Seq& model, const Sides& sides,
                                       std::span<const SentenceToAlign> sentences);

}  // namespace gradus::tools
