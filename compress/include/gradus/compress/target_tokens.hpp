#pragma once

#include <gradus/models/seq2seq.hpp>

#include <cstdint>

#pragma GCC visibility push(default)
namespace gradus::compress {

/// A shortlist for the readout. Returns the state of a smaller model, which can write only the target tokens
/// with the ids 0 to `tokens` − 1. In a data::Vocabulary, these are the special tokens and the most frequent
/// words. The decoder's embedding and the readout's weight and bias keep only their first `tokens` rows. With
/// a large vocabulary, a decoding step spends most of its time in the product of the readout. The logits of
/// the kept tokens do not change; the softmax divides the probability of the removed tokens among the kept
/// ones.
///
/// Load the result with load_state_dict() into a model with the same options, except that its target
/// vocabulary has `tokens` tokens.
///
/// @param tokens from 5 (the four special tokens and one other) to the model's V
/// @throws Error for a model without these three parameters, for a model whose encoder shares the decoder's
/// embedding, and for `tokens` out of range.
NamedTensors keep_target_tokens(const models::Seq2Seq& model, std::int64_t tokens);

}  // namespace gradus::compress
#pragma GCC visibility pop
