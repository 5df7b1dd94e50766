#include <gradus/models/bahdanau_decoder.hpp>
#include <gradus/models/cho_decoder.hpp>
#include <gradus/models/fixed_context_decoder.hpp>
#include <gradus/models/model.hpp>
#include <gradus/models/projected_query.hpp>
#include <gradus/nn/scaled_dot_product_attention.hpp>

namespace gradus::models {
namespace {

// Dot products need queries of the values' size, so other queries are projected.
template <class Attention>
std::unique_ptr<nn::Attention> make_dot(const AttentionSizes& sizes) {
  auto attention = std::make_unique<Attention>(sizes.dropout);
  if (sizes.query == sizes.value) return attention;
  return std::make_unique<ProjectedQuery>(sizes.query, sizes.value, std::move(attention));
}

template <class Decoder>
std::unique_ptr<nn::DecoderStep> make_plain(const DecoderOptions& options,
                                            const std::function<std::unique_ptr<nn::Attention>()>&) {
  return std::make_unique<Decoder>(options);
}

}  // namespace

Registry Registry::standard() {
  return {.attentions = {{"additive",
                          [](const AttentionSizes& sizes) {
                            return std::make_unique<nn::AdditiveAttention>(sizes.query, sizes.value,
                                                                           sizes.energy, sizes.dropout);
                          }},
                         {"dot", make_dot<nn::DotProductAttention>},
                         {"scaled_dot", make_dot<nn::ScaledDotProductAttention>}},
          .decoders = {{"fixed", make_plain<FixedContextDecoder>},
                       {"cho", make_plain<ChoDecoder>},
                       {"bahdanau", [](const DecoderOptions& options, const auto& attention) {
                          return std::make_unique<BahdanauDecoder>(options, attention());
                        }}}};
}

}  // namespace gradus::models
