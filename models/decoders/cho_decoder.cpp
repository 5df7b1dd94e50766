#include <gradus/autograd/ops.hpp>
#include <gradus/models/cho_decoder.hpp>

namespace gradus::models {
namespace {

const DecoderOptions& checked(const DecoderOptions& options) {
  if (options.bridge == Bridge::copy || options.bridge == Bridge::backward) {
    fail("ChoDecoder", "s_0 is computed from the context c, so the bridge must be summary or zeros");
  }
  return options;
}

}  // namespace

ChoDecoder::ChoDecoder(const DecoderOptions& options)
    : RecurrentDecoder({.name = "ChoDecoder",
                        .context = options.hidden,
                        .summary = options.hidden,
                        .bridge = Bridge::summary,
                        .readout = ReadoutForm::linear},
                       checked(options)),
      V(options.annotation, options.hidden, false) {
  add_module("V", V);
}

nn::DecoderStep::Start ChoDecoder::start(const nn::Annotations& annotations) const {
  const Scope scope = enter();
  const Tensor c = tanh(V.forward(summary(annotations)));
  return {.state = state_of(bridge(c), {{"c", c}}, 0), .memory = {}};
}

RecurrentDecoder::Context ChoDecoder::find_context(const nn::State& before,
                                                   const nn::Memory& /*memory*/) const {
  const Tensor& c = before["c"];
  return {.context = c, .kept = {{"c", c}}, .weights = {}};
}

Tensor ChoDecoder::unroll(const Tensor& y, const Start& start, const Packing& targets) const {
  return unroll_whole(y, start.state["c"], start.state, targets);
}

}  // namespace gradus::models
