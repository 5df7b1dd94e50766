#pragma once

#include <gradus/data/match_count.hpp>

#include <cstdint>
#include <span>

#pragma GCC visibility push(default)
namespace gradus::data {

/// How many tokens a model writes right when it is told all those before (teacher forcing).
/// \param predicted, target  of the same size; where the target is PAD nothing is counted.
/// \throws gradus::Error if the sizes differ.
MatchCount token_accuracy(std::span<const std::int64_t> predicted, std::span<const std::int64_t> target);

}  // namespace gradus::data
#pragma GCC visibility pop
