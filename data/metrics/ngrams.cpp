#include "metrics/ngrams.hpp"

#include <algorithm>

namespace gradus::data {

Ngrams count_ngrams(std::span<const std::string> tokens, std::int64_t n) {
  Ngrams ngrams;
  for (std::int64_t i = 0; i + n <= std::ssize(tokens); ++i) {
    const auto ngram = tokens.subspan(i, n);
    ++ngrams[{ngram.begin(), ngram.end()}];
  }
  return ngrams;
}

std::int64_t common_ngrams(const Ngrams& a, const Ngrams& b) {
  std::int64_t common = 0;
  for (const auto& [ngram, count] : a) {
    const auto found = b.find(ngram);
    if (found != b.end()) common += std::min(count, found->second);
  }
  return common;
}

}  // namespace gradus::data
