#include <gradus/data/d2l_bleu.hpp>

#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "metrics/ngrams.hpp"
#include "metrics/ratio.hpp"

namespace gradus::data {

double d2l_bleu(std::span<const std::string> prediction, std::span<const std::string> label, std::int64_t k) {
  check_range("d2l_bleu", "k", k, 1, "give the length of the longest n-grams");
  if (label.empty()) fail("d2l_bleu: the label is empty; give it at least one token");
  if (prediction.empty()) return 0;

  const std::int64_t length = std::ssize(prediction);
  double score = std::exp(std::min(0.0, 1 - ratio(label.size(), length)));
  for (std::int64_t n = 1; n <= std::min(k, length); ++n) {
    const std::int64_t matches = common_ngrams(count_ngrams(prediction, n), count_ngrams(label, n));
    score *= std::pow(ratio(matches, length - n + 1), std::exp2(-n));
  }
  return score;
}

}  // namespace gradus::data
