#pragma once

#include "attention.hpp"

/// Test cases for attentions.
namespace exercise {

inline constexpr AttentionSizes equal_sizes{.query = 6, .value = 6, .energy = 6};

/// A factor for the inputs of the check with equal sizes. It keeps the energies small, so that this check
/// does not fail because of a mistake that shows only with large energies.
inline constexpr double small_inputs = 0.3;
inline constexpr std::int64_t positions = 5;  ///< T
inline const std::vector<std::int64_t> all_real = {positions, positions, positions}, some_padding = {3, 4, 2};

inline const Mistake memory_layout{
    "memory-layout", "Axis 1 of the memory's values and keys is not the batch.",
    "Beam search continues several hypotheses of a sentence. Memory::select() takes "
    "their rows along axis 1 of "
    "values and keys, so that a tensor (B, T, ·) would lose positions: store (T, B, "
    "·), transpose in attend()."};

inline Results named(const gradus::nn::Attention::Result& result) {
  return {{"weights", result.weights}, {"context", result.context}};
}

}  // namespace exercise
