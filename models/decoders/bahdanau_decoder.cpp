#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/models/bahdanau_decoder.hpp>

#include <optional>
#include <utility>

namespace gradus::models {

BahdanauDecoder::BahdanauDecoder(const DecoderOptions& options, std::int64_t energy)
    : BahdanauDecoder(options,
                      std::make_unique<nn::AdditiveAttention>(options.hidden, options.annotation, energy)) {}

BahdanauDecoder::BahdanauDecoder(const DecoderOptions& options, std::unique_ptr<nn::Attention> given)
    : RecurrentDecoder({.name = "BahdanauDecoder",
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

RecurrentDecoder::Context BahdanauDecoder::find_context(const nn::State& before,
                                                        const nn::Memory& memory) const {
  const auto [c, alpha] = attention->attend(before["s"], memory, before.step(), before["weights"]);
  return {.context = c, .kept = {{"weights", alpha}}, .weights = alpha};  // (B, D), (B, T)
}

bool BahdanauDecoder::can_be_shared() const { return attention->fused_score(context_size()).has_value(); }

// The arguments for attention_sequence(). The caller adds the generator for random draws. Empty if
// attention_sequence() does not support this cell, score or sizes.
std::optional<AttentionDecoder> BahdanauDecoder::fused() const {
  const std::optional<GatedCell> cell = rnn->gated_cell();
  const std::optional<AttentionScore> score = attention->fused_score(context_size());
  if (!cell || !score) return std::nullopt;
  // Without W_a, query and annotation must have equal sizes. If the sizes differ, attend() is used, because
  // attend() throws an Error that names the sizes.
  if (!score->W_a.defined() && rnn->hidden() != context_size()) return std::nullopt;
  AttentionDecoder decoder{.cell = *cell,
                           .layers = {},
                           .score = *score,
                           .earlier = reads_earlier_state(),
                           .dropout = rnn->layers() > 1 ? dropout() : 0};
  for (std::int64_t layer = 0; layer < rnn->layers(); ++layer) {
    const nn::RecurrentWeights& p = rnn->weights(layer);
    decoder.layers.push_back({p.weight_ih, p.weight_hh, p.bias_ih, p.bias_hh});
  }
  return decoder;
}

// Computes packed rows [s; c_t; α_t], (N, H + D + T), from y (N, E). s is s_t, or s_{t−1} if the readout
// uses the earlier state.
Tensor BahdanauDecoder::fused_states(const Tensor& y, const nn::State& first, const nn::Memory& memory,
                                     const AttentionDecoder& decoder, const Packing& targets) const {
  const Tensor& keys = memory.keys.defined() ? memory.keys : memory.values;
  return attention_sequence(y, cells(first), keys, memory.values, memory.lengths, decoder, targets);
}

// Extracts [s; c] or [s] from rows [s; c; α].
Tensor BahdanauDecoder::fused_features(const Tensor& states) const {
  return states.slice(0, rnn->hidden() + (reads_state_alone() ? 0 : context_size()), 1);
}

Tensor BahdanauDecoder::unroll(const Tensor& y, const Start& start, const Packing& targets) const {
  std::optional<AttentionDecoder> decoder = fused();
  if (!decoder) return RecurrentDecoder::unroll(y, start, targets);
  if (is_training()) decoder->draws = default_generator().split();
  return fused_features(fused_states(y, start.state, start.memory, *decoder, targets));
}

RecurrentDecoder::Step BahdanauDecoder::advance(const Tensor& y, const nn::State& state,
                                                const nn::Memory& memory) const {
  // The next step needs the whole state, but attention_sequence() returns only the top layer's h. Therefore
  // the decoder must have one layer, without a cell state. A readout of the earlier state is excluded,
  // because attention_sequence() would then return s_{t−1} without s_t. Attention dropout in training is
  // excluded, because one call of attention_sequence() per step would draw other random numbers than one call
  // for all steps.
  const bool fits = rnn->layers() == 1 && rnn->state_parts() == 1 && !reads_earlier_state();
  const std::optional<AttentionDecoder> decoder = fits ? fused() : std::nullopt;
  if (!decoder || (is_training() && decoder->score.dropout > 0)) {
    return RecurrentDecoder::advance(y, state, memory);
  }
  const Tensor states = fused_states(y, state, memory, *decoder, Packing(1, y.size(0)));
  const std::int64_t H = rnn->hidden(), R = states.size(1);
  const Tensor alpha = states.slice(R - memory.values.size(0), R, 1);  // (B, T)
  return {.features = fused_features(states),
          .state = state_of({states.slice(0, H, 1)}, {{"weights", alpha}}, state.step() + 1),
          .weights = alpha};
}

}  // namespace gradus::models
