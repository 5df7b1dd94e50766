#include <gradus/data/chrf.hpp>
#include <gradus/version.hpp>

#include <algorithm>
#include <functional>
#include <map>

#include "metrics/code_points.hpp"
#include "metrics/lowered.hpp"
#include "metrics/white_space.hpp"

namespace gradus::data {
namespace {

using Counts = std::map<std::u32string_view, std::int64_t>;

std::u32string without_spaces(std::string_view line) {
  std::u32string text;
  for (const CodePoint& c : code_points(line)) {
    if (!is_white_space(c.value)) text += c.value;
  }
  return text;
}

Counts count_characters(std::u32string_view text, std::size_t n) {
  Counts counts;
  for (std::size_t i = 0; i + n <= text.size(); ++i) ++counts[text.substr(i, n)];
  return counts;
}

std::int64_t total(const Counts& counts) {
  std::int64_t sum = 0;
  for (const auto& [ngram, count] : counts) sum += count;
  return sum;
}

void add(std::array<std::int64_t, ChrfCounts::order>& to,
         const std::array<std::int64_t, ChrfCounts::order>& from) {
  std::ranges::transform(to, from, to.begin(), std::plus<>{});
}

}  // namespace

ChrfCounts& ChrfCounts::operator+=(const ChrfCounts& other) {
  add(hypothesis, other.hypothesis);
  add(reference, other.reference);
  add(matches, other.matches);
  return *this;
}

ChrfCounts chrf_counts(std::string_view hypothesis, std::string_view reference, bool lowercase) {
  const std::u32string ours = without_spaces(lowercase ? lowered(hypothesis) : hypothesis),
                       theirs = without_spaces(lowercase ? lowered(reference) : reference);
  ChrfCounts counts;
  for (std::size_t i = 0; i < ChrfCounts::order; ++i) {
    const Counts written = count_characters(ours, i + 1), right = count_characters(theirs, i + 1);
    // As in sacreBLEU, the hypothesis's n-grams do not count if the reference has none of this length.
    counts.hypothesis[i] = right.empty() ? 0 : total(written);
    counts.reference[i] = total(right);
    for (const auto& [ngram, count] : written) {
      const auto found = right.find(ngram);
      if (found != right.end()) counts.matches[i] += std::min(count, found->second);
    }
  }
  return counts;
}

double chrf_score(const ChrfCounts& counts) {
  constexpr double beta_squared = 4;
  double precision = 0, recall = 0;
  int orders = 0;
  for (std::size_t i = 0; i < ChrfCounts::order; ++i) {
    if (counts.hypothesis[i] == 0 || counts.reference[i] == 0) continue;
    const auto matches = static_cast<double>(counts.matches[i]);
    precision += matches / static_cast<double>(counts.hypothesis[i]);
    recall += matches / static_cast<double>(counts.reference[i]);
    ++orders;
  }
  if (precision + recall == 0) return 0;
  precision /= orders;
  recall /= orders;
  return 100 * (1 + beta_squared) * precision * recall / (beta_squared * precision + recall);
}

std::string chrf_signature(bool lowercase) {
  return std::string("chrF2|nrefs:1|case:") + (lowercase ? "lc" : "mixed") +
         "|eff:yes|nc:6|nw:0|space:no|version:gradus-" + version();
}

}  // namespace gradus::data
