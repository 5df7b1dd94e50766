#include <gradus/autograd/ops.hpp>
#include <gradus/models/embedding_deviation.hpp>
#include <gradus/models/fixed_context_decoder.hpp>

namespace gradus::models {

FixedContextDecoder::FixedContextDecoder(const FixedContextOptions& options)
    : embedding(options.vocabulary, options.embedding, embedding_deviation),
      W_s(options.summary, options.hidden, false),
      cell(options.embedding, options.hidden),
      readout(options.hidden, options.vocabulary) {
  add_module("embedding", embedding);
  add_module("W_s", W_s);
  add_module("cell", cell);
  add_module("readout", readout);
}

nn::DecoderStep::Start FixedContextDecoder::start(const nn::Annotations& annotations) const {
  const Scope scope = enter();
  const Tensor summary = annotations.first_backward.defined()
                             ? concat({annotations.last_forward, annotations.first_backward}, 1)
                             : annotations.last_forward;
  return {.state = {{{"s", tanh(W_s.forward(summary))}}}, .memory = {}};
}

nn::DecoderStep::Output FixedContextDecoder::step(const Tensor& previous, const nn::State& state,
                                                  const nn::Memory& /*memory*/) const {
  const Scope scope = enter();
  const Tensor s = cell.forward(embedding.forward(previous), state["s"]);  // (B, H)
  return {.logits = readout.forward(s), .state = {{{"s", s}}, state.step() + 1}, .weights = {}};
}

}  // namespace gradus::models
