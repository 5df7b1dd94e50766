#pragma once

#include <gradus/data/match_count.hpp>

#include <cstdint>
#include <span>

#pragma GCC visibility push(default)
namespace gradus::data {

/// The number of target tokens, and how many of them are predicted correctly. `predicted` are the likeliest
/// tokens under teacher forcing.
/// @param predicted, target  must have the same size. Positions whose target is PAD are ignored.
/// @throws gradus::Error if the sizes differ.
MatchCount token_accuracy(std::span<const std::int64_t> predicted, std::span<const std::int64_t> target);

}  // namespace gradus::data
#pragma GCC visibility pop
