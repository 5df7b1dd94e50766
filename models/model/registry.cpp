#include <gradus/models/bahdanau_decoder.hpp>
#include <gradus/models/cho_decoder.hpp>
#include <gradus/models/fixed_context_decoder.hpp>
#include <gradus/models/registry.hpp>
#include <gradus/nn/local_attention.hpp>
#include <gradus/nn/location_attention.hpp>
#include <gradus/nn/monotonic_attention.hpp>
#include <gradus/nn/normaliser.hpp>
#include <gradus/nn/projected_query.hpp>
#include <gradus/nn/scaled_dot_product_attention.hpp>
#include <gradus/nn/shared_additive_attention.hpp>

namespace gradus::models {
namespace {

// The number of a matrix's elements, as a double, because an integer could overflow.
double matrix(std::int64_t rows, std::int64_t columns) {
  return static_cast<double>(rows) * static_cast<double>(columns);
}

// The number of elements of W_a and U_a.
double additive_weights(const AttentionSizes& n) {
  return matrix(n.energy, n.query) + matrix(n.energy, n.value);
}

AttentionKind additive_kind() {
  return {.make =
              [](const AttentionSizes& n) {
                return std::make_unique<nn::AdditiveAttention>(n.query, n.value, n.energy, n.dropout);
              },
          .weights = additive_weights};
}

// Additive attention with a normaliser other than softmax. `make` creates the normaliser from the sizes.
template <class Make>
AttentionKind normalised_kind(Make make) {
  return {.make =
              [make](const AttentionSizes& n) {
                auto attention =
                    std::make_unique<nn::AdditiveAttention>(n.query, n.value, n.energy, n.dropout);
                attention->set_normaliser(make(n));
                return attention;
              },
          .weights = additive_weights};
}

AttentionKind local_kind() {
  return {.make =
              [](const AttentionSizes& n) {
                return std::make_unique<nn::LocalPredictiveAttention>(n.query, n.value, n.energy, n.window,
                                                                      n.dropout);
              },
          .weights = [](const AttentionSizes& n) { return additive_weights(n) + matrix(n.energy, n.query); }};
}

// The function `weights` counts W_a, U_a, F and U_f.
AttentionKind location_kind() {
  return {.make =
              [](const AttentionSizes& n) {
                nn::LocationOptions location = n.location;
                location.dropout = n.dropout;
                return std::make_unique<nn::LocationAttention>(n.query, n.value, n.energy, location);
              },
          .weights =
              [](const AttentionSizes& n) {
                return additive_weights(n) + matrix(n.location.filters, n.location.width) +
                       matrix(n.energy, n.location.filters);
              }};
}

// The function `weights` counts W_a and U_a, but not the bias of U_a.
AttentionKind monotonic_kind() {
  return {.make =
              [](const AttentionSizes& n) {
                return std::make_unique<nn::MonotonicAttention>(n.query, n.value, n.energy,
                                                                nn::MonotonicOptions{.dropout = n.dropout});
              },
          .weights = additive_weights};
}

AttentionKind shared_additive_kind() {
  return {.make =
              [](const AttentionSizes& n) {
                return std::make_unique<nn::SharedAdditiveAttention>(n.query, n.value, n.energy, n.dropout);
              },
          .weights = [](const AttentionSizes& n) { return matrix(n.energy, n.query); }};
}

// Dot products need queries of the values' size. Queries of another size are projected.
template <class Attention>
AttentionKind dot_kind() {
  return {
      .make = [](const AttentionSizes& n) -> std::unique_ptr<nn::Attention> {
        auto attention = std::make_unique<Attention>(n.dropout);
        if (n.query == n.value) return attention;
        return std::make_unique<nn::ProjectedQuery>(n.query, n.value, std::move(attention));
      },
      .weights = [](const AttentionSizes& n) { return n.query == n.value ? 0 : matrix(n.query, n.value); }};
}

template <class Decoder>
DecoderKind plain_kind(SourceContext context) {
  return {
      .make = [](const DecoderOptions& options, const auto&) { return std::make_unique<Decoder>(options); },
      .context = context};
}

DecoderKind bahdanau_kind() {
  return {
      .make = [](const DecoderOptions& options,
                 const auto& attention) { return std::make_unique<BahdanauDecoder>(options, attention()); },
      .context = SourceContext::attention};
}

}  // namespace

Registry Registry::standard() {
  using nn::normaliser::gumbel, nn::normaliser::hard, nn::normaliser::sparsemax, nn::normaliser::top_k;
  using Sizes = const AttentionSizes&;
  return {.attentions = {{"additive", additive_kind()},
                         {"dot", dot_kind<nn::DotProductAttention>()},
                         {"gumbel", normalised_kind([](Sizes n) { return gumbel(n.temperature); })},
                         {"hard", normalised_kind([](Sizes /*n*/) { return hard(); })},
                         {"local_p", local_kind()},
                         {"location", location_kind()},
                         {"monotonic", monotonic_kind()},
                         {"scaled_dot", dot_kind<nn::ScaledDotProductAttention>()},
                         {"shared_additive", shared_additive_kind()},
                         {"sparsemax", normalised_kind([](Sizes /*n*/) { return sparsemax(); })},
                         {"top_k", normalised_kind([](Sizes n) { return top_k(n.top_k); })}},
          .decoders = {{"fixed", plain_kind<FixedContextDecoder>(SourceContext::none)},
                       {"cho", plain_kind<ChoDecoder>(SourceContext::summary)},
                       {"bahdanau", bahdanau_kind()}}};
}

std::optional<SourceContext> Registry::context_of(const std::string& decoder) const {
  const auto found = decoders.find(decoder);
  return found == decoders.end() ? std::nullopt : found->second.context;
}

}  // namespace gradus::models
