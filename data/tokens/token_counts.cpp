#include <gradus/data/token_counts.hpp>

#include <unordered_map>

namespace gradus::data {

std::map<std::string, std::int64_t> count_tokens(std::span<const std::vector<std::string>> sentences) {
  // A hash map counts faster than a sorted map. Sorting at the end is cheap, because there are few distinct
  // tokens.
  std::unordered_map<std::string, std::int64_t> counts;
  for (const std::vector<std::string>& sentence : sentences) {
    for (const std::string& token : sentence) ++counts[token];
  }
  return {counts.begin(), counts.end()};
}

}  // namespace gradus::data
