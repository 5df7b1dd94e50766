#pragma once

#include <gradus/data/tokens.hpp>
#include <gradus/models/constraints.hpp>
#include <gradus/models/search.hpp>

#include <cstdint>
#include <span>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::models {

/// Greedy decoding. Each step writes the likeliest allowed token, and feeds this token to the next step. Of
/// equally likely tokens, the one with the lowest id is written. A source's output does not depend on the
/// other sources in its batch.
///
/// @param source    (T, B), i64, or vectors (T, B, ·)
/// @param lengths   (B), i64
/// @throws Error if a constraint is negative.
std::vector<Decoded> greedy(const Ensemble& model, const Tensor& source, const Tensor& lengths,
                            const MaxSteps& max_steps = {}, const Constraints& constraints = {});

/// Greedy decoding of the sources of pairs, batched as in decode(). Ignores the targets.
std::vector<Decoded> greedy(const Ensemble& model, std::span<const data::Pair> pairs,
                            std::int64_t batch_tokens = 4096);

/// Greedy decoding as a Search. @throws Error if a constraint is negative.
Search greedy(const Constraints& constraints = {});

}  // namespace gradus::models
#pragma GCC visibility pop
