#pragma once

#include <gradus/nn/decoder_step.hpp>
#include <gradus/nn/embedding.hpp>
#include <gradus/nn/gru.hpp>

#include <cstdint>

namespace gradus::models {

struct EncoderOptions {
  std::int64_t vocabulary;
  std::int64_t embedding = 32;  ///< E
  std::int64_t hidden = 64;     ///< H, of each direction
  bool bidirectional = true;
};

/// Reads the source with a GRU, in one or both directions (Bahdanau et al. 2015, section 3.2): the annotation
/// of token j is h_j = [→h_j; ←h_j], or →h_j alone. Modules: `embedding`, `gru`.
class Encoder : public nn::Module {
 public:
  explicit Encoder(const EncoderOptions& options);
  /// source (T, B), i64, without BOS or EOS; lengths (B), i64, each in [1, T].
  /// @throws Error when the shapes do not fit, a length is outside [1, T], or a token outside the vocabulary.
  nn::Annotations forward(const Tensor& source, const Tensor& lengths) const;

  std::int64_t annotation_size() const { return gru.directions() * gru.hidden(); }  ///< D

  nn::Embedding embedding;
  nn::GRU gru;
};

}  // namespace gradus::models
