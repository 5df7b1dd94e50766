#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/models/bahdanau_decoder.hpp>
#include <gradus/nn/gru.hpp>

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
  if (!attention) fail("BahdanauDecoder", "the attention that it was given is null");
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

// The attention, when it is additive and nothing derived from that, and draws nothing.
const nn::AdditiveAttention* BahdanauDecoder::known_attention() const {
  const auto& attending = *attention;
  if (typeid(attending) != typeid(nn::AdditiveAttention)) return nullptr;
  const auto* additive = static_cast<const nn::AdditiveAttention*>(attention.get());
  return additive->is_training() && additive->dropout() > 0 ? nullptr : additive;
}

// The same, when attention_gru_sequence computes just what the decoder does: not for a class derived from it.
const nn::AdditiveAttention* BahdanauDecoder::fused_attention() const {
  if (!uses_fused_operations() || rnn->layers() > 1 || reads_earlier_state()) return nullptr;
  const auto& layers = *rnn;
  if (typeid(layers) != typeid(nn::GRU)) return nullptr;
  if (static_cast<const nn::GRU&>(*rnn).form() != nn::GRUForm::pytorch) return nullptr;
  return known_attention();
}

bool BahdanauDecoder::can_be_shared() const {
  return RecurrentDecoder::can_be_shared() && known_attention() != nullptr;
}

// Rows [s_t; c_t; α_t], (N, H + D + T), packed, from y (N, E).
Tensor BahdanauDecoder::fused_states(const Tensor& y, const nn::State& first, const nn::Memory& memory,
                                     const nn::AdditiveAttention& additive, const Packing& targets) const {
  const nn::RecurrentWeights& cell = rnn->weights(0);
  return attention_gru_sequence(y, first["s"], memory.keys, memory.values, memory.lengths,
                                {.weight_ih = cell.weight_ih,
                                 .weight_hh = cell.weight_hh,
                                 .bias_ih = cell.bias_ih,
                                 .bias_hh = cell.bias_hh,
                                 .W_a = additive.W_a.weight,
                                 .v_a = additive.v_a},
                                targets);
}

// Of rows [s; c; α].
Tensor BahdanauDecoder::fused_features(const Tensor& states) const {
  return states.slice(0, rnn->hidden() + (reads_state_alone() ? 0 : context_size()), 1);
}

Tensor BahdanauDecoder::unroll(const Tensor& y, const Start& start, const Packing& targets) const {
  const nn::AdditiveAttention* additive = fused_attention();
  if (additive == nullptr) return RecurrentDecoder::unroll(y, start, targets);
  return fused_features(fused_states(y, start.state, start.memory, *additive, targets));
}

nn::DecoderStep::Output BahdanauDecoder::step(const Tensor& previous, const nn::State& state,
                                              const nn::Memory& memory) const {
  const nn::AdditiveAttention* additive = fused_attention();
  if (additive == nullptr) return RecurrentDecoder::step(previous, state, memory);
  const Scope scope = enter();
  const Tensor y = embed(previous);  // (B, E)
  const Tensor states = fused_states(y, state, memory, *additive, Packing(1, previous.size(0)));
  const std::int64_t H = rnn->hidden(), R = states.size(1);
  const Tensor alpha = states.slice(R - memory.keys.size(0), R, 1);  // (B, T)
  return {.logits = read_out(fused_features(states), y),
          .state = state_of({states.slice(0, H, 1)}, {{"weights", alpha}}, state.step() + 1),
          .weights = alpha};
}

}  // namespace gradus::models
