#pragma once

#include <gradus/nn/decoder_step.hpp>
#include <gradus/nn/embedding.hpp>
#include <gradus/nn/gru.hpp>
#include <gradus/nn/linear.hpp>

#include <cstdint>

namespace gradus::models {

struct FixedContextOptions {
  std::int64_t vocabulary;
  std::int64_t summary;         ///< the size of the encoder's last states together
  std::int64_t embedding = 32;  ///< E
  std::int64_t hidden = 64;     ///< H
};

/// A decoder that sees the source through its first state alone (Sutskever et al. 2014; their cell is an
/// LSTM):
///
///     s_0 = tanh(W_s [→h_T; ←h_1])         (→h_T alone when the encoder has one direction)
///     s_t = GRU(E y_{t−1}, s_{t−1})
///     logits_t = W_o s_t + b_o
///
/// Modules: `embedding`, `W_s`, `cell`, `readout`. State: `s` (B, H).
class FixedContextDecoder : public nn::DecoderStep {
 public:
  explicit FixedContextDecoder(const FixedContextOptions& options);
  Start start(const nn::Annotations& annotations) const override;
  Output step(const Tensor& previous, const nn::State& state, const nn::Memory& memory) const override;

  nn::Embedding embedding;
  nn::Linear W_s;
  nn::GRUCell cell;
  nn::Linear readout;
};

}  // namespace gradus::models
