#pragma once

#include <gradus/autograd/tensor.hpp>
#include <gradus/models/seq2seq.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gradus::web {

/// A quantity x of a step, and x̄ = ∂L/∂x with the same shape, computed by the tape.
struct Part {
  Tensor value, gradient;
};

/// Numbers that a reader has put in the place of the model's.
struct Replaced {
  std::vector<float> state = {};                                ///< s_{t−1}, H numbers; empty for the model's
  std::map<std::int64_t, std::vector<float>> annotations = {};  ///< h_j, D numbers, by j from 0
};

/// One step of a decoder with attention, computed part by part as BahdanauDecoder documents it, and the
/// gradients of its loss L = −log p(y_t). The gradient of h_j contains only the paths through this step. The
/// gradients of the parameters contain all paths, also those through earlier steps and the encoder.
struct Inside {
  Part before;       ///< s_{t−1}, (H)
  Part annotations;  ///< h, (T, D)
  Part energies;     ///< e_t, (T)
  Part weights;      ///< α_t = softmax(e_t), (T)
  Part context;      ///< c_t = Σ_j α_tj h_j, (D)
  std::vector<std::pair<std::string, Part>>
      gates;                   ///< named as in GRUCell and LSTMCell, (H); none for a tanh RNN
  Part after;                  ///< s_t, (H)
  Part logits;                 ///< (V)
  Tensor probabilities;        ///< softmax of the logits, (V)
  double loss;                 ///< L, in nats
  NamedTensors parameters;     ///< the gradient of every parameter
  double difference;           ///< the largest difference of s_t and p from the library's own step
  double gradient_difference;  ///< that of the parameters' gradients
};

/// The step that writes token t, from 0, after the decoder has read the tokens written before it.
/// @param source   (T), without BOS and EOS
/// @param written  the tokens y_1 …; the first t are read, and the loss is that of the next one
/// @param replaced acts on this step only
/// @throws Error for a decoder without attention, an attention without a fused_score(), a t out of range, and
/// replaced numbers of another size.
Inside look_inside(const models::Seq2Seq& model, const std::vector<std::int64_t>& source,
                   const std::vector<std::int64_t>& written, std::int64_t t, const Replaced& replaced = {});

}  // namespace gradus::web
