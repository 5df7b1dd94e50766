#pragma once

#include <gradus/models/seq2seq.hpp>

#include <cstdint>

#pragma GCC visibility push(default)
namespace gradus::compress {

/// A shortlist for the readout: the state of a model that can write only the target tokens with the ids 0 to
/// `tokens` − 1. A data::Vocabulary has the special tokens first and then the most frequent ones, so these
/// are the tokens to keep. Of the decoder's embedding, and of the readout's weight and bias, only the first
/// `tokens` rows remain; the readout's product takes most of a step's time if the vocabulary is large. The
/// logits of the remaining tokens do not change; the softmax divides the probability of the others among
/// them.
///
/// Load the result with load_state_dict() into a model with the same options and a smaller vocabulary.
///
/// @param tokens from 5, which leaves one token besides `<unk>`, to the model's V
/// @throws Error for a model without these parameters, one whose encoder shares the embedding, and `tokens`
/// outside its range.
NamedTensors keep_target_tokens(const models::Seq2Seq& model, std::int64_t tokens);

}  // namespace gradus::compress
#pragma GCC visibility pop
