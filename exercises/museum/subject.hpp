#pragma once

#include <gradus/data/batch.hpp>
#include <gradus/nn/decoder_step.hpp>

#include <cstdint>
#include <memory>
#include <vector>

/// The interface of a translation model, right or wrong, for the museum's probes and recordings.
namespace museum {

using gradus::Tensor;
using Tokens = std::vector<std::int64_t>;

struct Sizes {
  std::int64_t vocabulary;      ///< V, of source and target
  std::int64_t embedding = 16;  ///< E
  std::int64_t hidden = 32;     ///< H, size of each encoder direction and of the decoder
  std::int64_t energy = 32;     ///< A

  constexpr std::int64_t annotation() const { return 2 * hidden; }  ///< D
};

/// A model: an encoder, a decoder, and functions to train and use them.
class Subject : public gradus::nn::Module {
 public:
  /// @param source (T, B), @param lengths (B)
  virtual gradus::nn::Annotations encode(const Tensor& source, const Tensor& lengths) const = 0;
  virtual const gradus::nn::DecoderStep& decoder() const = 0;
  /// Teacher forcing: the logits, (T_y, B, V).
  virtual Tensor forced(const gradus::data::Batch& batch) const = 0;
  /// The loss of a batch, a scalar.
  virtual Tensor loss(const gradus::data::Batch& batch) const = 0;
  /// The outputs for the sources of a batch. Each stops at its first EOS, or at a limit of steps.
  virtual std::vector<Tokens> translate(const gradus::data::Batch& batch) const = 0;
};

/// The right program. around() uses a learner's attention or decoder in place of the right program's own. A
/// learner's attention gets queries of size H; annotations have size D.
std::unique_ptr<Subject> right_program(const Sizes& sizes);
std::unique_ptr<Subject> around(const Sizes& sizes, std::unique_ptr<gradus::nn::Attention> attention);
std::unique_ptr<Subject> around(const Sizes& sizes, std::unique_ptr<gradus::nn::DecoderStep> decoder);

}  // namespace museum
