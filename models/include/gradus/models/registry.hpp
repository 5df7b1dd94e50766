#pragma once

#include <gradus/models/recurrent_decoder.hpp>
#include <gradus/nn/attention.hpp>
#include <gradus/nn/decoder_step.hpp>
#include <gradus/nn/location_attention.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#pragma GCC visibility push(default)
namespace gradus::models {

/// The sizes and options for AttentionKind::make.
struct AttentionSizes {
  std::int64_t query;   ///< H
  std::int64_t value;   ///< D
  std::int64_t energy;  ///< A; custom attentions may use it differently
  double dropout;
  std::int64_t top_k = 2;             ///< for "top_k": number of positions with weight
  double window = 2;                  ///< half the window of "local_p"
  double temperature = 1;             ///< of "gumbel"
  nn::LocationOptions location = {};  ///< of "location", without its dropout
};

/// An attention that ModelOptions can select by name.
struct AttentionKind {
  std::function<std::unique_ptr<nn::Attention>(const AttentionSizes&)> make;
  /// The number of elements in the attention's weight matrices, if known. The `gradus` command uses this
  /// number to refuse models that do not fit in memory.
  std::function<double(const AttentionSizes&)> weights = {};
};

/// The part of the encoder's output that a decoder reads at every step: none, a summary of size H, or,
/// through attention, the annotations.
enum class SourceContext { none, summary, attention };

/// A decoder that ModelOptions can select by name.
struct DecoderKind {
  /// Creates the decoder. `attention` is a function that creates the attention named in ModelOptions. A
  /// decoder without attention does not call this function.
  std::function<std::unique_ptr<nn::DecoderStep>(
      const DecoderOptions& options, const std::function<std::unique_ptr<nn::Attention>()>& attention)>
      make;
  std::optional<SourceContext> context = std::nullopt;  ///< if known
};

/// The attentions and decoders that ModelOptions can select by name. To add your own, extend standard():
///
///     models::Registry registry = models::Registry::standard();
///     registry.attentions["cosine"] = {[](const models::AttentionSizes&) {
///       return std::make_unique<CosineAttention>();
///     }};
struct Registry {
  std::map<std::string, AttentionKind> attentions;
  std::map<std::string, DecoderKind> decoders;

  /// The attentions and decoders of this library.
  static Registry standard();
  /// The context of the decoder with this name. Empty if no decoder has this name, or if its context is not
  /// known.
  std::optional<SourceContext> context_of(const std::string& decoder) const;
};

}  // namespace gradus::models
#pragma GCC visibility pop
