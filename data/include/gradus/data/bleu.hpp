#pragma once

#include <gradus/data/bleu_tokenisers.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// BLEU (Papineni et al. 2002), the figure that sacreBLEU gives (Post 2018).
///
///     BLEU = 100 · BP · exp(1/N Σ_n ln p_n)     BP = min(1, exp(1 - r/c))
///
/// with p_n the share of the hypotheses' n-grams that their references hold (clipped: as often as the one
/// reference that holds it most), c the hypotheses' length and r that of the references nearest to it.

#pragma GCC visibility push(default)
namespace gradus::data {

/// What stands in for a p_n of 0 (Chen and Cherry 2014), under sacreBLEU's names.
enum class BleuSmoothing {
  none,   ///< nothing: the score is 0
  floor,  ///< method 1: the smoothing value in place of the count, 0.1 if none is given
  add_k,  ///< method 2: the smoothing value is added to counts and totals of n > 1, 1 if none is given
  exp,    ///< method 3: 1 / (2^k total) for the k-th n without a match
};

/// sacreBLEU's options, and its defaults.
struct BleuOptions {
  BleuTokeniser tokeniser = BleuTokeniser::mteval_13a;
  BleuSmoothing smoothing = BleuSmoothing::exp;
  std::optional<double> smoothing_value = {};  ///< of floor and add_k, at least 0
  bool lowercase = false;        ///< compare in lower case, of any script, character by character
  bool effective_order = false;  ///< leave out the orders for which a short hypothesis has no n-grams
  std::int64_t order = 4;        ///< N, 1 to 100
};

/// All that BLEU needs to know of the sentences: add these up, and score the sum. What is default-made counts
/// nothing.
struct BleuCounts {
  std::vector<std::int64_t> counts, totals;  ///< of matching and of all n-grams, for n = 1 … N
  std::int64_t hypothesis_length = 0, reference_length = 0;

  /// Takes in the sentences that another counted, with the same order.
  BleuCounts& operator+=(const BleuCounts& other);

  bool operator==(const BleuCounts&) const = default;
};

/// What one hypothesis adds. An empty reference is none.
/// \throws gradus::Error if there is no reference that is not empty, or an option is out of range.
BleuCounts bleu_counts(std::string_view hypothesis, std::span<const std::string> references,
                       const BleuOptions& options = {});

/// The figures, with what they were computed from.
struct BleuScore : BleuCounts {
  double score = 0;                ///< 0 to 100, but for rounding
  std::vector<double> precisions;  ///< 100 p_n, smoothed; all 0 if nothing matches
  double brevity_penalty = 0;      ///< in [0, 1]
};

/// BLEU of all the sentences that were counted.
/// \throws gradus::Error if there are not N counts and totals, or an option is out of range.
BleuScore bleu_score(const BleuCounts& counts, const BleuOptions& options = {});

/// BLEU of a corpus.
/// \param references  of each hypothesis, one or several.
/// \throws gradus::Error if there is no hypothesis, or not as many lists of references, or as `bleu_counts`.
BleuScore corpus_bleu(std::span<const std::string> hypotheses,
                      std::span<const std::vector<std::string>> references, const BleuOptions& options = {});

/// One sentence alone, with the effective order whatever the options say.
/// \throws gradus::Error as `bleu_counts`.
BleuScore sentence_bleu(std::string_view hypothesis, std::span<const std::string> references,
                        BleuOptions options = {});

/// What a score must be published with, in sacreBLEU's form but for the version, which is that of gradus:
/// `nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:gradus-0.1.0`.
/// \param references  of every hypothesis; 0 where that differs, which prints as `var`.
/// \throws gradus::Error if it is negative, or an option is out of range.
std::string bleu_signature(const BleuOptions& options = {}, std::int64_t references = 1);

/// The score in sacreBLEU's form, after the signature that it is published with:
/// `BLEU|nrefs:… = 48.53 82.4/50.0/45.5/37.5 (BP = 0.943 ratio = 0.944 hyp_len = 17 ref_len = 18)`.
std::string bleu_line(const BleuScore& score, std::string_view signature);

}  // namespace gradus::data
#pragma GCC visibility pop
