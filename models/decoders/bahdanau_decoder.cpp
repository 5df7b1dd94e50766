#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/models/bahdanau_decoder.hpp>
#include <gradus/models/projected_query.hpp>
#include <gradus/nn/gru.hpp>
#include <gradus/nn/lstm.hpp>
#include <gradus/nn/scaled_dot_product_attention.hpp>

#include <cmath>
#include <optional>
#include <typeinfo>
#include <utility>

namespace gradus::models {

BahdanauDecoder::BahdanauDecoder(const DecoderOptions& options, std::int64_t energy)
    : BahdanauDecoder(options,
                      std::make_unique<nn::AdditiveAttention>(options.hidden, options.annotation, energy)) {}

BahdanauDecoder::BahdanauDecoder(const DecoderOptions& options, std::unique_ptr<nn::Attention> given)
    : RecurrentDecoder({.name = "BahdanauDecoder",
                        .type = typeid(BahdanauDecoder),
                        .context = options.annotation,
                        .summary = options.annotation,
                        .bridge = Bridge::backward,
                        .readout = ReadoutForm::linear},
                       options),
      attention(std::move(given)) {
  if (!attention) fail("BahdanauDecoder", "the given attention is null");
  add_module("attention", *attention);
}

nn::DecoderStep::Start BahdanauDecoder::start(const nn::Annotations& annotations) const {
  const Scope scope = enter();
  return {.state = state_of(bridge(annotations), {{"weights", Tensor()}}, 0),
          .memory = attention->prepare(annotations.h, annotations.lengths)};
}

RecurrentDecoder::Look BahdanauDecoder::look(const nn::State& before, const nn::Memory& memory) const {
  const auto [c, alpha] = attention->attend(before["s"], memory, before.step(), before["weights"]);
  return {.context = c, .kept = {{"weights", alpha}}, .weights = alpha};  // (B, D), (B, T)
}

namespace {

template <class... Kinds>
bool is_one_of(const nn::Attention& attention) {
  return ((typeid(attention) == typeid(Kinds)) || ...);
}

// True for this library's attentions, which threads may share, but not for classes derived from them.
bool is_known(const nn::Attention& attention) {
  if (typeid(attention) == typeid(ProjectedQuery)) {
    return is_known(*static_cast<const ProjectedQuery&>(attention).score);
  }
  return is_one_of<nn::AdditiveAttention, nn::DotProductAttention, nn::ScaledDotProductAttention>(attention);
}

// Dropout on the weights of a known attention.
double attention_dropout(const nn::Attention& attention) {
  if (typeid(attention) == typeid(ProjectedQuery)) {
    return attention_dropout(*static_cast<const ProjectedQuery&>(attention).score);
  }
  const auto* scored = dynamic_cast<const nn::ScoredAttention*>(&attention);
  return scored ? scored->dropout() : 0;
}

}  // namespace

// The cell, if attention_sequence supports it.
std::optional<AttentionCell> BahdanauDecoder::fused_cell() const {
  const auto& layers = *rnn;
  if (typeid(layers) == typeid(nn::LSTM)) return AttentionCell::lstm;
  if (typeid(layers) != typeid(nn::GRU)) return std::nullopt;
  const bool original = static_cast<const nn::GRU&>(*rnn).form() == GRUForm::original;
  return original ? AttentionCell::original_gru : AttentionCell::gru;
}

// The arguments for attention_sequence, without dropout. None if the result might differ from the decoder's
// modules, as with classes derived from this library's.
std::optional<AttentionDecoder> BahdanauDecoder::fused() const {
  const std::optional<AttentionCell> cell = fused_cell();
  if (!uses_fused_operations() || !cell || !is_known(*attention)) return std::nullopt;
  AttentionDecoder decoder{
      .cell = *cell, .layers = {}, .W_a = {}, .v_a = {}, .earlier = reads_earlier_state()};
  const nn::Attention* scoring = attention.get();
  if (typeid(*scoring) == typeid(ProjectedQuery)) {
    const auto& projected = static_cast<const ProjectedQuery&>(*scoring);
    decoder.W_a = projected.W_a.weight;
    scoring = projected.score.get();
  }
  if (typeid(*scoring) == typeid(nn::AdditiveAttention)) {
    if (decoder.W_a.defined()) return std::nullopt;  // two projections, unsupported
    const auto& additive = static_cast<const nn::AdditiveAttention&>(*scoring);
    decoder.W_a = additive.W_a.weight;
    decoder.v_a = additive.v_a;
  } else if (!decoder.W_a.defined() && rnn->hidden() != context_size()) {
    return std::nullopt;  // the attention throws the error
  } else if (typeid(*scoring) == typeid(nn::ScaledDotProductAttention)) {
    decoder.scale = 1 / std::sqrt(static_cast<double>(context_size()));
  }
  for (std::int64_t layer = 0; layer < rnn->layers(); ++layer) {
    const nn::RecurrentWeights& p = rnn->weights(layer);
    decoder.layers.push_back({p.weight_ih, p.weight_hh, p.bias_ih, p.bias_hh});
  }
  return decoder;
}

bool BahdanauDecoder::can_be_shared() const {
  return RecurrentDecoder::can_be_shared() && is_known(*attention);
}

// Rows [s_t; c_t; α_t], (N, H + D + T), packed, from y (N, E).
Tensor BahdanauDecoder::fused_states(const Tensor& y, const nn::State& first, const nn::Memory& memory,
                                     const AttentionDecoder& decoder, const Packing& targets) const {
  const Tensor& keys = memory.keys.defined() ? memory.keys : memory.values;
  return attention_sequence(y, cells(first), keys, memory.values, memory.lengths, decoder, targets);
}

// [s; c] or [s] from rows [s; c; α].
Tensor BahdanauDecoder::fused_features(const Tensor& states) const {
  return states.slice(0, rnn->hidden() + (reads_state_alone() ? 0 : context_size()), 1);
}

Tensor BahdanauDecoder::unroll(const Tensor& y, const Start& start, const Packing& targets) const {
  std::optional<AttentionDecoder> decoder = fused();
  if (!decoder) return RecurrentDecoder::unroll(y, start, targets);
  if (is_training()) {
    decoder->dropout = {.of_weights = attention_dropout(*attention),
                        .between = rnn->layers() > 1 ? dropout() : 0,
                        .steps = default_generator().split()};
  }
  return fused_features(fused_states(y, start.state, start.memory, *decoder, targets));
}

nn::DecoderStep::Output BahdanauDecoder::step(const Tensor& previous, const nn::State& state,
                                              const nn::Memory& memory) const {
  // The fused rows hold only one layer's h after the step, and a step's random draws differ from a
  // sequence's.
  const bool fits = rnn->layers() == 1 && rnn->state_parts() == 1 && !reads_earlier_state() &&
                    !(is_training() && attention_dropout(*attention) > 0);
  const std::optional<AttentionDecoder> decoder = fits ? fused() : std::nullopt;
  if (!decoder) return RecurrentDecoder::step(previous, state, memory);
  const Scope scope = enter();
  const Tensor y = embed(previous);  // (B, E)
  const Tensor states = fused_states(y, state, memory, *decoder, Packing(1, previous.size(0)));
  const std::int64_t H = rnn->hidden(), R = states.size(1);
  const Tensor alpha = states.slice(R - memory.values.size(0), R, 1);  // (B, T)
  return {.logits = read_out(fused_features(states), y),
          .state = state_of({states.slice(0, H, 1)}, {{"weights", alpha}}, state.step() + 1),
          .weights = alpha};
}

}  // namespace gradus::models
