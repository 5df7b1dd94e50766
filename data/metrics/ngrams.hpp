#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gradus::data {

// The number of occurrences of each n-gram. The keys are views of the counted tokens.
using Ngrams = std::map<std::vector<std::string_view>, std::int64_t>;

Ngrams count_ngrams(std::span<const std::string> tokens, std::int64_t n);

// The number of n-grams that a and b share: the sum, over n-grams, of the smaller of the two counts.
std::int64_t common_ngrams(const Ngrams& a, const Ngrams& b);

}  // namespace gradus::data
