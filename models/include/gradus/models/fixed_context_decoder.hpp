#pragma once

#include <gradus/models/recurrent_decoder.hpp>

#pragma GCC visibility push(default)
namespace gradus::models {

/// A decoder that sees the source through its first state alone (Sutskever et al. 2014, whose cell is an LSTM
/// and whose bridge is Bridge::copy):
///
///     s_0 = tanh(W_s [→h_T; ←h_1])         (→h_T alone when the encoder has one direction)
///     s_t = cell(E y_{t−1}, s_{t−1})
///     logits_t = W_o s_t + b_o
class FixedContextDecoder : public RecurrentDecoder {
 public:
  explicit FixedContextDecoder(const DecoderOptions& options);

 protected:
  Look look(const nn::State& before, const nn::Memory& memory) const override;
  Tensor unroll(const Tensor& y, const Start& start, const Packing& targets) const override;
};

}  // namespace gradus::models
#pragma GCC visibility pop
