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

/// A sentence, and its translation where one is given.
struct SentenceToAlign {
  std::string source;
  std::optional<std::string> target;
};

/// Where a model looked in a source for each token of a target.
struct Alignment {
  data::SentencePair text;
  std::vector<std::string> source_tokens;
  std::vector<std::string> target_tokens;  ///< with <eos>, unless the steps ran out before
  models::Decoded decoded;                 ///< weights (target tokens, source tokens)
};

/// Gives the model the targets that are given, and for the others takes its own greedy output.
/// Without attention, the weights are undefined.
/// @param model in eval mode
/// @throws Error naming the sentence, counted from 1, that has no token or is not UTF-8.
std::vector<Alignment> make_alignments(const models::Seq2Seq& model, const Sides& sides,
                                       std::span<const SentenceToAlign> sentences);

}  // namespace gradus::tools
