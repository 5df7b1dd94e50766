#include <gradus/data/bleu.hpp>
#include <gradus/version.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <locale>
#include <sstream>
#include <utility>

#include "check.hpp"
#include "metrics/lowered.hpp"
#include "metrics/ngrams.hpp"

namespace gradus::data {
namespace {

using Tokens = std::vector<std::string>;

void check(std::string_view operation, const BleuOptions& options) {
  if (options.order < 1 || options.order > 100) {
    fail(operation, ": order is ", options.order, ", but must be 1 to 100; 4 is standard");
  }
  const double value = options.smoothing_value.value_or(0);
  if (!(value >= 0) || std::isinf(value)) {
    fail(operation, ": smoothing_value is ", value,
         ", but must be finite and at least 0; omit it for sacreBLEU's default");
  }
}

double smoothing_value(const BleuOptions& options) {
  return options.smoothing_value.value_or(options.smoothing == BleuSmoothing::floor ? 0.1 : 1.0);
}

Tokens tokens_of(std::string_view line, const BleuOptions& options) {
  return bleu_tokens(options.lowercase ? lowered(line) : std::string(line), options.tokeniser);
}

std::vector<Tokens> reference_tokens(std::span<const std::string> references, const BleuOptions& options) {
  std::vector<Tokens> tokens;
  for (const std::string& reference : references) {
    if (!reference.empty()) tokens.push_back(tokens_of(reference, options));
  }
  if (tokens.empty()) fail("bleu_counts: the hypothesis has no non-empty reference; give at least one");
  return tokens;
}

// The reference length that is nearest to `length`; on ties, the smaller one.
std::int64_t nearest_length(std::int64_t length, const std::vector<Tokens>& references) {
  const auto distance = [&](const Tokens& tokens) {
    return std::pair(std::abs(length - std::ssize(tokens)), std::ssize(tokens));
  };
  return std::ssize(*std::ranges::min_element(references, {}, distance));
}

Ngrams most_of_each(const std::vector<Tokens>& references, std::int64_t n) {
  Ngrams most;
  for (const Tokens& tokens : references) {
    for (const auto& [ngram, count] : count_ngrams(tokens, n)) {
      std::int64_t& largest_count = most[ngram];
      largest_count = std::max(largest_count, count);
    }
  }
  return most;
}

double brevity_penalty(const BleuCounts& counts) {
  if (counts.hypothesis_length >= counts.reference_length) return 1;
  if (counts.hypothesis_length == 0) return 0;
  return std::exp(1 - static_cast<double>(counts.reference_length) /
                          static_cast<double>(counts.hypothesis_length));
}

// The smoothed 100 p_n for n = 1 … order. Stops at the first n whose total is 0: the hypotheses are too short
// to have n-grams of this length. With add-k smoothing and k > 0, the total for n > 1 is never 0.
std::vector<double> smoothed_precisions(const BleuCounts& counts, const BleuOptions& options) {
  const double value = smoothing_value(options);
  double halving = 1;
  std::vector<double> precisions;
  for (std::int64_t i = 0; i < options.order; ++i) {
    const double added = options.smoothing == BleuSmoothing::add_k && i > 0 ? value : 0;
    double count = static_cast<double>(counts.counts[i]) + added;
    const double total = static_cast<double>(counts.totals[i]) + added;
    if (total == 0) break;
    if (count == 0 && options.smoothing == BleuSmoothing::exp) count = halving /= 2;
    if (count == 0 && options.smoothing == BleuSmoothing::floor) count = value;
    precisions.push_back(100 * count / total);
  }
  return precisions;
}

// The exponential of the values' mean logarithm; 0 if any value is 0.
double geometric_mean(std::span<const double> values) {
  double logarithms = 0;
  for (const double value : values) logarithms += std::log(value);
  return std::exp(logarithms / static_cast<double>(values.size()));
}

std::string decimal(double number, int digits) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text.precision(digits);
  text << std::fixed << number;
  return text.str();
}

std::string smoothing_text(const BleuOptions& options) {
  std::string value = "[";  // "[" + … triggers a false warning in g++ 12
  value.append(decimal(smoothing_value(options), 2)).append("]");
  switch (options.smoothing) {
    case BleuSmoothing::none:
      return "none";
    case BleuSmoothing::floor:
      return "floor" + value;
    case BleuSmoothing::add_k:
      return "add-k" + value;
    case BleuSmoothing::exp:
      return "exp";
  }
  fail("bleu_signature: unknown smoothing; use a value of BleuSmoothing");
}

}  // namespace

BleuCounts& BleuCounts::operator+=(const BleuCounts& other) {
  counts.resize(std::max(counts.size(), other.counts.size()));
  totals.resize(counts.size());
  for (std::size_t i = 0; i < other.counts.size(); ++i) {
    counts[i] += other.counts[i];
    totals[i] += other.totals[i];
  }
  hypothesis_length += other.hypothesis_length;
  reference_length += other.reference_length;
  return *this;
}

BleuCounts bleu_counts(std::string_view hypothesis, std::span<const std::string> references,
                       const BleuOptions& options) {
  check("bleu_counts", options);
  const std::vector<Tokens> tokens = reference_tokens(references, options);
  const Tokens ours = tokens_of(hypothesis, options);
  const std::int64_t length = std::ssize(ours);

  BleuCounts counts{{}, {}, length, nearest_length(length, tokens)};
  for (std::int64_t n = 1; n <= options.order; ++n) {
    counts.counts.push_back(common_ngrams(count_ngrams(ours, n), most_of_each(tokens, n)));
    counts.totals.push_back(std::max<std::int64_t>(0, length - n + 1));
  }
  return counts;
}

BleuScore bleu_score(const BleuCounts& counts, const BleuOptions& options) {
  check("bleu_score", options);
  if (std::ssize(counts.counts) != options.order || std::ssize(counts.totals) != options.order) {
    fail("bleu_score: found ", counts.counts.size(), " counts and ", counts.totals.size(),
         " totals, but order is ", options.order, "; add at least one sentence, with the same options");
  }
  BleuScore result{counts, 0, std::vector<double>(options.order), brevity_penalty(counts)};
  // If nothing matches, the score is 0 with every smoothing method.
  if (std::ranges::count(counts.counts, 0) == options.order) return result;

  std::vector<double> precisions = smoothed_precisions(counts, options);
  if (!options.effective_order) precisions.resize(options.order);
  result.score = result.brevity_penalty * geometric_mean(precisions);
  precisions.resize(options.order);
  result.precisions = std::move(precisions);
  return result;
}

BleuScore corpus_bleu(std::span<const std::string> hypotheses,
                      std::span<const std::vector<std::string>> references, const BleuOptions& options) {
  if (hypotheses.empty()) fail("corpus_bleu: no hypotheses; give at least one");
  if (hypotheses.size() != references.size()) {
    fail("corpus_bleu: found ", hypotheses.size(), " hypotheses and ", references.size(),
         " lists of references; give one list per hypothesis");
  }
  BleuCounts all;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    all += bleu_counts(hypotheses[i], references[i], options);
  }
  return bleu_score(all, options);
}

BleuScore sentence_bleu(std::string_view hypothesis, std::span<const std::string> references,
                        BleuOptions options) {
  options.effective_order = true;
  return bleu_score(bleu_counts(hypothesis, references, options), options);
}

std::string bleu_signature(const BleuOptions& options, std::int64_t references) {
  check("bleu_signature", options);
  if (references < 0) {
    fail("bleu_signature: references is ", references,
         ", but must be at least 0; 0 means that the number varies");
  }
  std::string signature = "nrefs:" + (references == 0 ? "var" : std::to_string(references));
  signature += options.lowercase ? "|case:lc" : "|case:mixed";
  signature += options.effective_order ? "|eff:yes" : "|eff:no";
  signature.append("|tok:").append(bleu_tokeniser_name(options.tokeniser));
  signature.append("|smooth:").append(smoothing_text(options));
  return signature + "|version:gradus-" + version();
}

std::string bleu_line(const BleuScore& score, std::string_view signature) {
  std::string precisions;
  for (const double precision : score.precisions) {
    if (!precisions.empty()) precisions += '/';
    precisions += decimal(precision, 1);
  }
  const auto hypothesis_length = static_cast<double>(score.hypothesis_length);
  const auto reference_length = static_cast<double>(score.reference_length);
  const double ratio = score.reference_length == 0 ? 0 : hypothesis_length / reference_length;
  std::ostringstream line;
  line.imbue(std::locale::classic());
  line << "BLEU|" << signature << " = " << decimal(score.score, 2) << ' ' << precisions
       << " (BP = " << decimal(score.brevity_penalty, 3) << " ratio = " << decimal(ratio, 3)
       << " hyp_len = " << score.hypothesis_length << " ref_len = " << score.reference_length << ')';
  return line.str();
}

}  // namespace gradus::data
