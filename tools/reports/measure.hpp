#pragma once

#include <gradus/data/attention_entropy.hpp>
#include <gradus/data/bleu.hpp>
#include <gradus/data/chrf.hpp>
#include <gradus/data/edit_distance.hpp>
#include <gradus/data/match_count.hpp>

#include <cstdint>
#include <span>
#include <vector>

#include "reports/translation.hpp"

namespace gradus::tools {

/// Metrics of a pair, or their sums over several pairs. Without pairs, bleu() throws an Error, chrf() is 0,
/// and the other metrics are NaN.
struct Scores {
  std::int64_t pairs = 0;
  std::int64_t source_tokens = 0;
  data::BleuCounts bleu_counts;      ///< detokenised output against untokenised target
  data::ChrfCounts chrf_counts;      ///< chrF of the same texts
  double d2l_bleu_sum = 0;           ///< summed over sentences, with k = 2 as in Dive into Deep Learning
  data::MatchCount exact;            ///< outputs that end in EOS and equal the target's words
  data::ErrorRate errors;            ///< edits from the target's words to the output's
  double nats = 0;                   ///< -Σ ln p of the target tokens with EOS, under teacher forcing
  data::MatchCount tokens;           ///< target tokens that were the likeliest, under teacher forcing
  data::AttentionEntropy sharpness;  ///< entropy of the output's attention weights; no rows without attention

  Scores& operator+=(const Scores& other);

  double bleu() const { return data::bleu_score(bleu_counts).score; }
  double chrf() const { return data::chrf_score(chrf_counts); }
  double d2l_bleu() const;
  double loss() const;  ///< cross-entropy in nats per token
  double perplexity() const;
};

/// BLEU options for a target side. BLEU ignores case (by Unicode's rules) if the model lower-cases text. BLEU
/// uses `tokeniser`, not the model's tokeniser.
data::BleuOptions bleu_options(const Side& target, data::BleuTokeniser tokeniser);

/// "zh" for the token unit `chinese`, else "13a".
data::BleuTokeniser default_bleu_tokeniser(const Side& target);

/// Scores each pair, given the model's translations of its source. A source without tokens has no
/// translation: the output counts as empty, and the pair is excluded from loss and token accuracy.
/// @param model   in eval mode
/// @param outputs translations of each pair, best first
std::vector<Scores> measure_each(const models::Ensemble& model, const Sides& sides,
                                 std::span<const data::SentencePair> pairs,
                                 std::span<const std::vector<Translation>> outputs,
                                 data::BleuTokeniser tokeniser);

/// Translates the sources with the default TranslationOptions, and sums the scores of all pairs.
/// @param model in eval mode
Scores measure(const models::Ensemble& model, const Sides& sides, std::span<const data::SentencePair> pairs,
               const models::Search& search);

}  // namespace gradus::tools
