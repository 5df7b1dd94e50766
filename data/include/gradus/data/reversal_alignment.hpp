#pragma once

#include <gradus/data/alignment_score.hpp>

#include <cstdint>
#include <span>

#pragma GCC visibility push(default)
namespace gradus::data {

/// Scores the attention weights of one reversed string. Step t, counted from 1, should attend to source
/// position length - t + 1.
/// @param weights       (length, source_steps) row-major, one row per symbol. The step of EOS is omitted,
///                      because it has no true position.
/// @param length        source length without padding, at least 1.
/// @param source_steps  source steps of the batch, `length` to 1000000.
/// @throws gradus::Error if the sizes disagree or are out of range, or a weight is NaN.
AlignmentScore reversal_alignment(std::span<const float> weights, std::int64_t length,
                                  std::int64_t source_steps);
AlignmentScore reversal_alignment(std::span<const double> weights, std::int64_t length,
                                  std::int64_t source_steps);

}  // namespace gradus::data
#pragma GCC visibility pop
