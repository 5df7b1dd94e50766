#pragma once

#include <gradus/autograd/fused.hpp>
#include <gradus/models/recurrent_decoder.hpp>
#include <gradus/nn/additive_attention.hpp>

#include <cstdint>
#include <memory>
#include <optional>

#pragma GCC visibility push(default)
namespace gradus::models {

/// The decoder of Bahdanau et al. 2015, which attends to the source at every step. Step t first attends, then
/// updates the state:
///
///     s_0 = tanh(W_s ←h_1)                             no bias (appendix A.2.2)
///     α_t = attend(s_{t−1}, h),  c_t = Σ_j α_tj h_j    (eq. 6 and 5)
///     s_t = cell([E y_{t−1}; c_t], s_{t−1})            (section 3.1; in the paper Cell::original_gru)
///     logits_t = W_o [s_t; c_t; E y_{t−1}] + b_o       (eq. 4; in the paper ReadoutForm::maxout_earlier)
///
/// With several layers, the query is the top layer's state. Modules: those of RecurrentDecoder, and
/// `attention`. State: that of RecurrentDecoder, and `weights`, (B, T).
class BahdanauDecoder final : public RecurrentDecoder {
 public:
  /// Creates an additive attention. `energy` is its energy size A.
  BahdanauDecoder(const DecoderOptions& options, std::int64_t energy);
  /// Uses any attention for queries (B, H) and values (T, B, D). @throws Error for null.
  BahdanauDecoder(const DecoderOptions& options, std::unique_ptr<nn::Attention> attention);
  Start start(const nn::Annotations& annotations) const override;
  /// True if the attention has a fused_score(), because only such an attention is known to be thread-safe.
  bool can_be_shared() const override;
  nn::Estimator estimator() const override { return attention->estimator(); }

  const std::unique_ptr<nn::Attention> attention;

 protected:
  Context find_context(const nn::State& before, const nn::Memory& memory) const override;
  Step advance(const Tensor& y, const nn::State& state, const nn::Memory& memory) const override;
  /// With a GRU or LSTM and an attention with a fused_score(), runs all steps as one operation,
  /// attention_sequence(). Otherwise runs them one by one.
  Tensor unroll(const Tensor& y, const Start& start, const Packing& targets) const override;

 private:
  std::optional<AttentionDecoder> fused() const;
  Tensor fused_states(const Tensor& y, const nn::State& first, const nn::Memory& memory,
                      const AttentionDecoder& decoder, const Packing& targets) const;
  Tensor fused_features(const Tensor& states) const;
};

}  // namespace gradus::models
#pragma GCC visibility pop
