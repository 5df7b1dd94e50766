#include <gradus/data/exact_match.hpp>
#include <gradus/data/tokens.hpp>

#include <algorithm>

#include "check.hpp"

namespace gradus::data {

bool matches_exactly(std::span<const std::int64_t> prediction, std::span<const std::int64_t> target) {
  const auto end = std::ranges::find(target, eos);
  if (end == target.end()) fail("matches_exactly: the target has no EOS (2); append it");
  // `content` includes EOS, so a prediction that ends at another position is wrong.
  const auto content = target.first(end - target.begin() + 1);
  return prediction.size() >= content.size() && std::ranges::equal(prediction.first(content.size()), content);
}

double exact_match(std::span<const std::vector<std::int64_t>> predictions,
                   std::span<const std::vector<std::int64_t>> targets) {
  if (predictions.size() != targets.size()) {
    fail("exact_match: found ", predictions.size(), " predictions for ", targets.size(),
         " targets; give one prediction per target");
  }
  MatchCount all;
  for (std::size_t i = 0; i < targets.size(); ++i) all.add(matches_exactly(predictions[i], targets[i]));
  return all.fraction();
}

void ExactMatchByLength::add(std::int64_t source_length, bool right) {
  if (source_length < 1) {
    fail("ExactMatchByLength::add: source_length is ", source_length,
         ", but must be at least 1; give the length without padding");
  }
  rows_[source_length].add(right);
}

MatchCount ExactMatchByLength::total() const {
  MatchCount all;
  for (const auto& [length, row] : rows_) all += row;
  return all;
}

}  // namespace gradus::data
