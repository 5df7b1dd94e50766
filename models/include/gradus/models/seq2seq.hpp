#pragma once

#include <gradus/models/encoder.hpp>
#include <gradus/nn/decoder_step.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::models {

/// An encoder and any decoder. Modules: `encoder`, `decoder`.
class Seq2Seq : public nn::Module {
 public:
  Seq2Seq(const EncoderOptions& encoder, std::unique_ptr<nn::DecoderStep> decoder);

  struct Output {
    Tensor logits;                ///< (T_y, B, V)
    std::vector<Tensor> weights;  ///< (B, T_x) for each of the T_y steps; undefined without attention
    std::vector<Tensor> tensors() const { return {logits}; }
  };
  /// Teacher forcing: the decoder reads the true tokens.
  /// @param source         (T_x, B), i64, without BOS or EOS; or vectors (T_x, B, ·)
  /// @param source_lengths (B), i64
  /// @param target_in      (T_y, B), i64: BOS y_1 … y_{n−1}
  Output forward(const Tensor& source, const Tensor& source_lengths, const Tensor& target_in) const;
  /// The decoder's first state and its memory, computed from the source.
  nn::DecoderStep::Start start(const Tensor& source, const Tensor& source_lengths) const;
  /// True if threads may split a batch by sequence, as loss() and, in eval mode, the searches do.
  bool can_be_shared() const { return decoder->can_be_shared(); }

  Encoder encoder;
  const std::unique_ptr<nn::DecoderStep> decoder;
};

/// The sizes for make_bahdanau() and make_fixed_context(). With the same sizes and bidirectional encoders,
/// the two models differ only in the decoder.
struct ModelSizes {
  std::int64_t vocabulary;
  std::int64_t embedding = 32;  ///< E
  std::int64_t hidden = 64;     ///< H
  std::int64_t energy = 64;     ///< A
};
/// A model with a BahdanauDecoder and additive attention.
std::unique_ptr<Seq2Seq> make_bahdanau(const ModelSizes& sizes);
/// A model with a FixedContextDecoder, which has no attention.
std::unique_ptr<Seq2Seq> make_fixed_context(const ModelSizes& sizes, bool bidirectional = true);

}  // namespace gradus::models
#pragma GCC visibility pop
