#pragma once

#include <gradus/data/tokens.hpp>
#include <gradus/models/search.hpp>

#include <cstdint>
#include <span>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::models {

/// Decodes by taking the likeliest token at each step, the lowest id of equal ones, and giving it back as the
/// next input. Source i of a batch gives the same tokens as on its own.
///
/// @param source    (T, B), i64, or vectors (T, B, ·)
/// @param lengths   (B), i64
std::vector<Decoded> greedy(const Seq2Seq& model, const Tensor& source, const Tensor& lengths,
                            const MaxSteps& max_steps = {});

/// The same for the sources of any number of pairs, in the batches of decode(); the targets are not read.
std::vector<Decoded> greedy(const Seq2Seq& model, std::span<const data::Pair> pairs,
                            std::int64_t batch_tokens = 4096);

/// As a search.
Search greedy();

}  // namespace gradus::models
#pragma GCC visibility pop
