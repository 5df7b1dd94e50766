#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/models/bahdanau_decoder.hpp>
#include <gradus/models/embedding_deviation.hpp>
#include <gradus/nn/additive_attention.hpp>

#include <typeinfo>

namespace gradus::models {

BahdanauDecoder::BahdanauDecoder(const BahdanauOptions& options)
    : BahdanauDecoder(options, std::make_unique<nn::AdditiveAttention>(options.hidden, options.annotation,
                                                                       options.energy)) {}

BahdanauDecoder::BahdanauDecoder(const BahdanauOptions& options, std::unique_ptr<nn::Attention> given)
    : embedding(options.vocabulary, options.embedding, embedding_deviation),
      attention(std::move(given)),
      W_s(options.hidden, options.hidden, false),
      cell(options.embedding + options.annotation, options.hidden),
      readout(options.hidden + options.annotation + options.embedding, options.vocabulary) {
  if (!attention) fail("BahdanauDecoder", "the attention that it was given is null");
  add_module("embedding", embedding);
  add_module("attention", *attention);
  add_module("W_s", W_s);
  add_module("cell", cell);
  add_module("readout", readout);
}

nn::DecoderStep::Start BahdanauDecoder::start(const nn::Annotations& annotations) const {
  const Scope scope = enter();
  if (!annotations.first_backward.defined()) {
    fail("BahdanauDecoder",
         "s_0 is made from the backward state of the first token; the encoder must be bidirectional");
  }
  return {.state = {{{"s", tanh(W_s.forward(annotations.first_backward))}, {"weights", Tensor()}}},
          .memory = attention->prepare(annotations.h, annotations.lengths)};
}

// The attention, when attention_gru_sequence computes just what it does: not for a class derived from it.
const nn::AdditiveAttention* BahdanauDecoder::fused_attention() const {
  if (!uses_fused_operations() || typeid(*attention) != typeid(nn::AdditiveAttention)) return nullptr;
  const auto* additive = static_cast<const nn::AdditiveAttention*>(attention.get());
  return additive->is_training() && additive->dropout() > 0 ? nullptr : additive;
}

namespace {

AttentionGRUWeights weights_of(const nn::GRUCell& cell, const nn::AdditiveAttention& attention) {
  return {.weight_ih = cell.weight_ih,
          .weight_hh = cell.weight_hh,
          .bias_ih = cell.bias_ih,
          .bias_hh = cell.bias_hh,
          .W_a = attention.W_a.weight,
          .v_a = attention.v_a};
}

}  // namespace

// (…, V) from rows [s; c; α] of attention_gru_sequence and y (…, E).
Tensor BahdanauDecoder::logits(const Tensor& states, const Tensor& y) const {
  const std::int64_t s_and_c = readout.weight.size(1) - y.size(-1);
  return readout.forward(concat({states.slice(0, s_and_c, 1), y}, 1));
}

Tensor BahdanauDecoder::forward(const Start& start, const Tensor& target_in, const Packing& targets) const {
  const nn::AdditiveAttention* additive = fused_attention();
  if (additive == nullptr) return DecoderStep::forward(start, target_in, targets);
  const Scope scope = enter();
  const nn::Memory& memory = start.memory;
  const Tensor y = embedding.forward(pack(target_in, targets));  // (N, E)
  const Tensor states =
      attention_gru_sequence(y, start.state["s"], memory.keys, memory.values, memory.lengths,
                             weights_of(cell, *additive), targets);  // (N, H + D + T)
  return logits(states, y);
}

nn::DecoderStep::Output BahdanauDecoder::step(const Tensor& previous, const nn::State& state,
                                              const nn::Memory& memory) const {
  const Scope scope = enter();
  const Tensor& s_before = state["s"];  // s_{t−1}, (B, H)
  if (const nn::AdditiveAttention* additive = fused_attention()) {
    const Tensor y = embedding.forward(previous);  // (B, E)
    const Tensor states =
        attention_gru_sequence(y, s_before, memory.keys, memory.values, memory.lengths,
                               weights_of(cell, *additive), Packing(1, previous.size(0)));  // (B, H + D + T)
    const std::int64_t H = s_before.size(1), R = states.size(1);
    const Tensor s = states.slice(0, H, 1), alpha = states.slice(R - memory.keys.size(0), R, 1);
    return {.logits = logits(states, y),
            .state = {{{"s", s}, {"weights", alpha}}, state.step() + 1},
            .weights = alpha};
  }
  const auto [c, alpha] =
      attention->attend(s_before, memory, state.step(), state["weights"]);  // (B, D), (B, T)
  const Tensor y = embedding.forward(previous);                             // (B, E)
  const Tensor s = cell.forward(concat({y, c}, 1), s_before);               // (B, H)
  return {.logits = readout.forward(concat({s, c, y}, 1)),                  // (B, V)
          .state = {{{"s", s}, {"weights", alpha}}, state.step() + 1},
          .weights = alpha};
}

}  // namespace gradus::models
