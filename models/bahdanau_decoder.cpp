#include <gradus/autograd/ops.hpp>
#include <gradus/models/bahdanau_decoder.hpp>
#include <gradus/models/embedding_deviation.hpp>
#include <gradus/nn/additive_attention.hpp>

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

nn::DecoderStep::Output BahdanauDecoder::step(const Tensor& previous, const nn::State& state,
                                              const nn::Memory& memory) const {
  const Scope scope = enter();
  const Tensor& s_before = state["s"];  // s_{t−1}, (B, H)
  const auto [c, alpha] =
      attention->attend(s_before, memory, state.step(), state["weights"]);  // (B, D), (B, T)
  const Tensor y = embedding.forward(previous);                             // (B, E)
  const Tensor s = cell.forward(concat({y, c}, 1), s_before);               // (B, H)
  return {.logits = readout.forward(concat({s, c, y}, 1)),                  // (B, V)
          .state = {{{"s", s}, {"weights", alpha}}, state.step() + 1},
          .weights = alpha};
}

}  // namespace gradus::models
