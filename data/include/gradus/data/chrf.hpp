#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

/// \file
/// chrF (Popović 2015), as computed by sacreBLEU: the F-score of character n-grams, n = 1 … 6. White space is
/// ignored.
///
///     chrF = 100 · (1 + β²) · P · R / (β² P + R)     β = 2
///
/// For each n, the precision is the fraction of the hypotheses' n-grams that occur in their references. The
/// recall is the fraction of the references' n-grams that occur in their hypotheses. The count of an n-gram
/// is clipped to its count in the other text. A hypothesis's n-grams do not count if its reference has none
/// of this length. P and R are the means over n. Both means omit an n if the hypotheses or the references
/// have no n-grams of length n.

#pragma GCC visibility push(default)
namespace gradus::data {

/// chrF statistics of one or more sentences. Add the statistics of all sentences, then score the sum. A
/// default-constructed object is zero.
struct ChrfCounts {
  static constexpr std::size_t order = 6;
  std::array<std::int64_t, order> hypothesis{}, reference{}, matches{};  ///< n-grams, for n = 1 … 6

  ChrfCounts& operator+=(const ChrfCounts& other);

  bool operator==(const ChrfCounts&) const = default;
};

/// Statistics of one hypothesis. An invalid byte counts as a character.
/// @param lowercase converts hypothesis and reference to lower case, as BleuOptions::lowercase does
ChrfCounts chrf_counts(std::string_view hypothesis, std::string_view reference, bool lowercase = false);

/// chrF from statistics, 0 to 100; 0 if nothing matches.
double chrf_score(const ChrfCounts& counts);

/// The signature to publish with a score, in sacreBLEU's format with gradus's version:
/// `chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:gradus-0.1.0`.
std::string chrf_signature(bool lowercase = false);

}  // namespace gradus::data
#pragma GCC visibility pop
