#include <gradus/data/token_accuracy.hpp>
#include <gradus/data/tokens.hpp>

#include <cstddef>

#include "check.hpp"

namespace gradus::data {

MatchCount token_accuracy(std::span<const std::int64_t> predicted, std::span<const std::int64_t> target) {
  if (predicted.size() != target.size()) {
    fail("token_accuracy: found ", predicted.size(), " predicted tokens for ", target.size(),
         " target tokens; give one prediction per token");
  }
  MatchCount tokens;
  for (std::size_t i = 0; i < target.size(); ++i) {
    if (target[i] != pad) tokens.add(predicted[i] == target[i]);
  }
  return tokens;
}

}  // namespace gradus::data
