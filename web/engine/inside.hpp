#pragma once

#include <gradus/autograd/tensor.hpp>
#include <gradus/models/seq2seq.hpp>

#include <cstdint>
#include <vector>

namespace gradus::web {

/// One step of a decoder with attention, computed part by part as BahdanauDecoder documents it.
struct Inside {
  Tensor before;         ///< s_{t−1}, (H)
  Tensor energies;       ///< e_t, (T)
  Tensor weights;        ///< α_t = softmax(e_t), (T)
  Tensor context;        ///< c_t = Σ_j α_tj h_j, (D)
  NamedTensors gates;    ///< by their names in GRUCell and LSTMCell, (H) each; none for a tanh RNN
  Tensor after;          ///< s_t, (H)
  Tensor probabilities;  ///< softmax of the logits, (V)
  double difference;     ///< the largest difference of s_t and the probabilities from the library's own step
};

/// The step that writes token t, from 0, after the decoder has read the tokens written before it.
/// @param source  (T), without BOS and EOS
/// @param written the tokens y_1 …; the first t are read
/// @throws Error for a decoder without attention, an attention without a fused_score(), and a t out of range.
Inside look_inside(const models::Seq2Seq& model, const std::vector<std::int64_t>& source,
                   const std::vector<std::int64_t>& written, std::int64_t t);

}  // namespace gradus::web
