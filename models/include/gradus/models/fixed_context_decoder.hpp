#pragma once

#include <gradus/models/recurrent_decoder.hpp>

#pragma GCC visibility push(default)
namespace gradus::models {

/// A decoder that sees the source only through its initial state (Sutskever et al. 2014, with an LSTM and
/// Bridge::copy):
///
///     s_0 = tanh(W_s [→h_T; ←h_1])         (only →h_T if the encoder has one direction)
///     s_t = cell(E y_{t−1}, s_{t−1})
///     logits_t = W_o s_t + b_o
class FixedContextDecoder final : public RecurrentDecoder {
 public:
  explicit FixedContextDecoder(const DecoderOptions& options);
  bool can_be_shared() const override { return true; }

 protected:
  Context find_context(const nn::State& before, const nn::Memory& memory) const override;
  Tensor unroll(const Tensor& y, const Start& start, const Packing& targets) const override;
};

}  // namespace gradus::models
#pragma GCC visibility pop
