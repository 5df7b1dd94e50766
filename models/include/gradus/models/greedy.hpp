#pragma once

#include <gradus/autograd/tensor.hpp>
#include <gradus/data/tokens.hpp>
#include <gradus/models/seq2seq.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace gradus::models {

/// What a model made of one source.
struct Decoded {
  std::vector<std::int64_t> tokens;  ///< up to and including EOS; without it when the steps ran out
  Tensor weights;                    ///< (tokens, source length), f32: α_tj; undefined without attention
};

/// Decodes by taking the likeliest token at each step, and giving it back as the next input. Source i of a
/// batch gives the same tokens as on its own.
///
/// @param source    (T, B), i64
/// @param lengths   (B), i64
/// @param max_steps after which decoding stops if no EOS has come
std::vector<Decoded> greedy(const Seq2Seq& model, const Tensor& source, const Tensor& lengths,
                            std::int64_t max_steps);

/// The same for the sources of any number of pairs, in batches; the targets are not read. Steps run out at
/// twice the length of a batch's longest source and ten more.
std::vector<Decoded> greedy(const Seq2Seq& model, std::span<const data::Pair> pairs,
                            std::int64_t batch_size = 250);

}  // namespace gradus::models
