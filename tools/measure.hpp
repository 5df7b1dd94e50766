#pragma once

#include <gradus/data/attention_entropy.hpp>
#include <gradus/data/bleu.hpp>
#include <gradus/data/edit_distance.hpp>
#include <gradus/data/match_count.hpp>

#include <cstdint>
#include <span>
#include <vector>

#include "translation.hpp"

namespace gradus::tools {

/// What is counted of one pair or, added up, of several. Figures of no pair are NaN, but for BLEU, which
/// there is none of.
struct Scores {
  std::int64_t pairs = 0;
  std::int64_t source_tokens = 0;
  data::BleuCounts bleu_counts;  ///< of the detokenised output against the target's line
  double d2l_bleu_sum = 0;       ///< of sentences; its k is 2, as in the book
  data::MatchCount exact;        ///< outputs that ended, and whose words are those of the target
  data::ErrorRate errors;        ///< edits from the target's words to the output's
  double nats = 0;               ///< -Σ ln p of the targets' tokens with EOS, each told after the right ones
  data::MatchCount tokens;       ///< of these, how many were the likeliest
  data::AttentionEntropy sharpness;  ///< where the model looks while it writes; no rows without attention

  Scores& operator+=(const Scores& other);

  double bleu() const { return data::bleu_score(bleu_counts).score; }
  double d2l_bleu() const;
  double loss() const;  ///< cross-entropy in nats a token
  double perplexity() const;
};

/// How BLEU compares with the lines of a target: case does not count where the model lower-cases, and then
/// the lines are lower-cased as Unicode has it. What a word is does not depend on how the model splits.
data::BleuOptions bleu_options(const Side& target, data::BleuTokeniser tokeniser);

/// "zh" for targets of the unit `chinese`, else "13a".
data::BleuTokeniser default_bleu_tokeniser(const Side& target);

/// The scores of each pair, of which a model translated the source.
/// @param model   in eval mode
/// @param outputs of each pair the best, or none where the source has no token; such a pair counts as an
/// empty output, and not in loss and token accuracy
std::vector<Scores> measure_each(const models::Seq2Seq& model, const Sides& sides,
                                 std::span<const data::SentencePair> pairs,
                                 std::span<const std::vector<Translation>> outputs,
                                 data::BleuTokeniser tokeniser);

/// Translates the sources and measures all of it together, with the defaults of everything.
/// @param model in eval mode
Scores measure(const models::Seq2Seq& model, const Sides& sides, std::span<const data::SentencePair> pairs,
               const models::Search& search);

}  // namespace gradus::tools
