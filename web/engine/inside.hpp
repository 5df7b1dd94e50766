#pragma once

#include <gradus/autograd/tensor.hpp>
#include <gradus/models/seq2seq.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gradus::web {

/// A quantity x of a step, and its gradient x̄ = ∂L/∂x from the tape. Both have the same shape.
struct Part {
  Tensor value, gradient;
};

/// Values with which the reader replaces the model's own.
struct Replaced {
  std::vector<float> state = {};                                ///< s_{t−1}, (H); empty: the model's own
  std::map<std::int64_t, std::vector<float>> annotations = {};  ///< h_j, (D), by j from 0
};

/// One step of a decoder with attention, and the gradients of its loss L = −log p(y_t). The step is computed
/// in the parts that BahdanauDecoder documents. The gradient of h_j covers only paths through this step.
/// Parameter gradients cover all paths, including earlier steps and the encoder.
struct Inside {
  Part before;       ///< s_{t−1}, (H)
  Part annotations;  ///< h, (T, D)
  Part energies;     ///< e_t, (T); undefined if the attention has no fused_score()
  Part weights;      ///< α_t, (T): softmax(e_t), or the attention's own result
  Part context;      ///< c_t = Σ_j α_tj h_j, (D)
  std::vector<std::pair<std::string, Part>>
      gates;                   ///< named as in GRUCell and LSTMCell, (H); none for a tanh RNN
  Part after;                  ///< s_t, (H)
  Part logits;                 ///< (V)
  Tensor probabilities;        ///< softmax of the logits, (V)
  double loss;                 ///< L, in nats
  NamedTensors parameters;     ///< the gradient of every parameter
  double difference;           ///< the largest difference of s_t and p from the library's own step
  double gradient_difference;  ///< the largest difference of the parameters' gradients
};

/// Computes the step that writes token t (from 0). The decoder reads `written`, as in teacher forcing.
/// @param source   (T), without BOS and EOS
/// @param written  y_1, y_2, …; token t (from 0) is y_{t+1}, and L is its loss
/// @param replaced values for this step only
/// @throws Error if the decoder is not a BahdanauDecoder or has mistakes, if t or the index of a replaced
/// annotation is out of range, or if replaced values have a wrong size.
Inside look_inside(const models::Seq2Seq& model, const std::vector<std::int64_t>& source,
                   const std::vector<std::int64_t>& written, std::int64_t t, const Replaced& replaced = {});

}  // namespace gradus::web
