#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gradus::data {

// How often each n-gram occurs. Views of the tokens that were counted.
using Ngrams = std::map<std::vector<std::string_view>, std::int64_t>;

Ngrams count_ngrams(std::span<const std::string> tokens, std::int64_t n);

// Matches of two counts, each n-gram as often as it is in both.
std::int64_t common_ngrams(const Ngrams& a, const Ngrams& b);

}  // namespace gradus::data
