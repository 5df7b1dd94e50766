#pragma once

#include <gradus/models/recurrent_decoder.hpp>

#pragma GCC visibility push(default)
namespace gradus::models {

/// The decoder of Cho et al. 2014 (section 2.2 and appendix A.1). The context c is the same at every step:
///
///     c = tanh(V [→h_T; ←h_1])             (only →h_T if the encoder has one direction, as in the paper)
///     s_0 = tanh(W_s c)                    W_s is the paper's V′
///     s_t = cell([E y_{t−1}; c], s_{t−1})
///     logits_t = W_o [s_t; c; E y_{t−1}] + b_o      (in the paper ReadoutForm::maxout)
///
/// In the paper's appendix, the decoder's reset gate also acts on the context: tanh(W E y + r ∘ (U s + C c)).
/// Here the reset gate acts as in the chosen Cell; Cell::original_gru follows eq. 8, the paper's encoder.
///
/// Modules: those of RecurrentDecoder, and `V`, (H, D). State: that of RecurrentDecoder, and `c`, (B, H).
class ChoDecoder final : public RecurrentDecoder {
 public:
  /// @throws Error as RecurrentDecoder does. Also throws for Bridge::copy and Bridge::backward. Only
  /// Bridge::summary (s_0 computed from c) and Bridge::zeros (s_0 = 0) are possible.
  explicit ChoDecoder(const DecoderOptions& options);
  Start start(const nn::Annotations& annotations) const override;
  bool can_be_shared() const override { return true; }

  nn::Linear V;

 protected:
  Context find_context(const nn::State& before, const nn::Memory& memory) const override;
  Tensor unroll(const Tensor& y, const Start& start, const Packing& targets) const override;
};

}  // namespace gradus::models
#pragma GCC visibility pop
