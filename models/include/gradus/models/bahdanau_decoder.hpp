#pragma once

#include <gradus/nn/additive_attention.hpp>
#include <gradus/nn/decoder_step.hpp>
#include <gradus/nn/embedding.hpp>
#include <gradus/nn/gru.hpp>
#include <gradus/nn/linear.hpp>

#include <cstdint>
#include <memory>

namespace gradus::models {

struct BahdanauOptions {
  std::int64_t vocabulary;
  std::int64_t annotation;      ///< D, the size of an annotation h_j: both directions together
  std::int64_t embedding = 32;  ///< E
  std::int64_t hidden = 64;     ///< H
  std::int64_t energy = 64;     ///< A, of the additive attention that is made when none is given
};

/// The decoder of Bahdanau et al. 2015, which looks at the source anew for every word. At step t it attends
/// *before* it updates its state:
///
///     s_0 = tanh(W_s ←h_1)                             no bias (appendix A.2.2)
///     α_t = attend(s_{t−1}, h),  c_t = Σ_j α_tj h_j    (eq. 6 and 5)
///     s_t = GRU([E y_{t−1}; c_t], s_{t−1})             (section 3.1; the cell is PyTorch's, see nn::GRUForm)
///     logits_t = W_o [s_t; c_t; E y_{t−1}] + b_o       (eq. 4; where the paper has a maxout layer, A.2.2)
///
/// Modules: `embedding`, `attention`, `W_s`, `cell`, `readout`. State: `s` (B, H) and `weights` (B, T).
class BahdanauDecoder : public nn::DecoderStep {
 public:
  /// With additive attention, or with any other whose queries are (B, H) and values (T, B, D).
  explicit BahdanauDecoder(const BahdanauOptions& options);
  BahdanauDecoder(const BahdanauOptions& options, std::unique_ptr<nn::Attention> attention);
  /// @throws Error when the encoder has no backward direction.
  Start start(const nn::Annotations& annotations) const override;
  Output step(const Tensor& previous, const nn::State& state, const nn::Memory& memory) const override;
  /// With additive attention and fused operations on, all steps at once.
  Tensor forward(const Start& start, const Tensor& target_in, const Packing& targets) const override;

  nn::Embedding embedding;
  const std::unique_ptr<nn::Attention> attention;
  nn::Linear W_s;
  nn::GRUCell cell;
  nn::Linear readout;

 private:
  const nn::AdditiveAttention* fused_attention() const;
  Tensor logits(const Tensor& states, const Tensor& y) const;
};

}  // namespace gradus::models
