#pragma once

#include <gradus/data/bleu_tokenisers.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// BLEU (Papineni et al. 2002), as computed by sacreBLEU (Post 2018).
///
///     BLEU = 100 · BP · exp(1/N Σ_n ln p_n)     BP = min(1, exp(1 - r/c))
///
/// p_n is the fraction of the hypotheses' n-grams that occur in their references. The count of an n-gram is
/// clipped to its largest count in one reference. c is the total length of the hypotheses. r is the total
/// length of one reference for each hypothesis: the reference whose length is nearest to that of the
/// hypothesis, and on ties the shorter one.

#pragma GCC visibility push(default)
namespace gradus::data {

/// Smoothing methods for a p_n of 0 (Chen and Cherry 2014), under sacreBLEU's names.
enum class BleuSmoothing {
  none,   ///< no smoothing: if a p_n is 0, the score is 0
  floor,  ///< method 1: replaces a count of 0 by the smoothing value, default 0.1
  add_k,  ///< method 2: adds the smoothing value, default 1, to all counts and totals for n > 1
  exp,    ///< method 3: 1 / (2^k total) for the k-th n without a match
};

/// sacreBLEU's options and defaults.
struct BleuOptions {
  BleuTokeniser tokeniser = BleuTokeniser::mteval_13a;
  BleuSmoothing smoothing = BleuSmoothing::exp;
  std::optional<double> smoothing_value = {};  ///< value of floor and add_k, at least 0
  bool lowercase = false;        ///< lower-case hypotheses and references, as Python's str.lower() does
  bool effective_order = false;  ///< ignore n-grams longer than the hypothesis; no effect with add_k
  std::int64_t order = 4;        ///< N, 1 to 100
};

/// BLEU statistics of one or more sentences. Add the statistics of all sentences, then score the sum. A
/// default-constructed object is zero.
struct BleuCounts {
  std::vector<std::int64_t> counts, totals;  ///< matching and all n-grams, for n = 1 … N
  std::int64_t hypothesis_length = 0, reference_length = 0;

  /// Adds statistics, which must have the same order N.
  BleuCounts& operator+=(const BleuCounts& other);

  bool operator==(const BleuCounts&) const = default;
};

/// Statistics of one hypothesis. Empty references are ignored.
/// @throws gradus::Error if all references are empty, or an option is out of range.
BleuCounts bleu_counts(std::string_view hypothesis, std::span<const std::string> references,
                       const BleuOptions& options = {});

/// A score with its statistics.
struct BleuScore : BleuCounts {
  double score = 0;                ///< 0 to 100, up to rounding
  std::vector<double> precisions;  ///< 100 p_n, smoothed; all 0 if nothing matches
  double brevity_penalty = 0;      ///< in [0, 1]
};

/// BLEU from statistics.
/// @throws gradus::Error if counts and totals do not have N elements, or an option is out of range.
BleuScore bleu_score(const BleuCounts& counts, const BleuOptions& options = {});

/// BLEU of a corpus.
/// @param references  one or more for each hypothesis.
/// @throws gradus::Error if there are no hypotheses or the sizes differ, and as `bleu_counts` does.
BleuScore corpus_bleu(std::span<const std::string> hypotheses,
                      std::span<const std::vector<std::string>> references, const BleuOptions& options = {});

/// BLEU of one sentence. `effective_order` is always on.
/// @throws gradus::Error as `bleu_counts` does.
BleuScore sentence_bleu(std::string_view hypothesis, std::span<const std::string> references,
                        BleuOptions options = {});

/// The signature to publish with a score. Has sacreBLEU's format, with gradus's version:
/// `nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:gradus-0.1.0`.
/// @param references  the number of references per hypothesis; 0 if it varies, which is printed as `var`.
/// @throws gradus::Error if `references` is negative, or an option is out of range.
std::string bleu_signature(const BleuOptions& options = {}, std::int64_t references = 1);

/// Signature and score in sacreBLEU's format:
/// `BLEU|nrefs:… = 48.53 82.4/50.0/45.5/37.5 (BP = 0.943 ratio = 0.944 hyp_len = 17 ref_len = 18)`.
std::string bleu_line(const BleuScore& score, std::string_view signature);

}  // namespace gradus::data
#pragma GCC visibility pop
