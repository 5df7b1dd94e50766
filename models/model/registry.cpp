#include <gradus/models/bahdanau_decoder.hpp>
#include <gradus/models/cho_decoder.hpp>
#include <gradus/models/fixed_context_decoder.hpp>
#include <gradus/models/model.hpp>
#include <gradus/models/projected_query.hpp>
#include <gradus/nn/scaled_dot_product_attention.hpp>

namespace gradus::models {
namespace {

using AttentionPointer = std::unique_ptr<nn::Attention>;
using DecoderPointer = std::unique_ptr<nn::DecoderStep>;

AttentionPointer make_additive(const AttentionSizes& sizes) {
  return std::make_unique<nn::AdditiveAttention>(sizes.query, sizes.value, sizes.energy, sizes.dropout);
}

// Dot products need queries of the values' size, so other queries are projected.
template <class Attention>
AttentionPointer make_dot(const AttentionSizes& sizes) {
  auto attention = std::make_unique<Attention>(sizes.dropout);
  if (sizes.query == sizes.value) return attention;
  return std::make_unique<ProjectedQuery>(sizes.query, sizes.value, std::move(attention));
}

template <class Decoder>
DecoderPointer make_plain(const DecoderOptions& options, const std::function<AttentionPointer()>&) {
  return std::make_unique<Decoder>(options);
}

DecoderPointer make_attending(const DecoderOptions& options,
                              const std::function<AttentionPointer()>& attention) {
  return std::make_unique<BahdanauDecoder>(options, attention());
}

// True if both maps have the same plain function under this name. Only plain functions can be compared inside
// a std::function, so the makers of standard() are not lambdas.
template <class Result, class... Arguments>
bool same(const std::map<std::string, std::function<Result(Arguments...)>>& one,
          const std::map<std::string, std::function<Result(Arguments...)>>& other, const std::string& name) {
  const auto function = [&name](const auto& makers) -> Result (*)(Arguments...) {
    const auto found = makers.find(name);
    if (found == makers.end()) return nullptr;
    const auto* target = found->second.template target<Result (*)(Arguments...)>();
    return target == nullptr ? nullptr : *target;
  };
  return function(one) != nullptr && function(one) == function(other);
}

}  // namespace

Registry Registry::standard() {
  return {.attentions = {{"additive", make_additive},
                         {"dot", make_dot<nn::DotProductAttention>},
                         {"scaled_dot", make_dot<nn::ScaledDotProductAttention>}},
          .decoders = {{"fixed", make_plain<FixedContextDecoder>},
                       {"cho", make_plain<ChoDecoder>},
                       {"bahdanau", make_attending}}};
}

bool Registry::is_standard_attention(const std::string& name) const {
  return same(attentions, standard().attentions, name);
}

bool Registry::is_standard_decoder(const std::string& name) const {
  return same(decoders, standard().decoders, name);
}

}  // namespace gradus::models
