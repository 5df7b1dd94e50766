#include <gradus/models/fixed_context_decoder.hpp>

namespace gradus::models {

FixedContextDecoder::FixedContextDecoder(const DecoderOptions& options)
    : RecurrentDecoder({.name = "FixedContextDecoder",
                        .context = 0,
                        .summary = options.annotation,
                        .bridge = Bridge::summary,
                        .readout = ReadoutForm::state},
                       options) {}

RecurrentDecoder::Context FixedContextDecoder::find_context(const nn::State& /*before*/,
                                                            const nn::Memory& /*memory*/) const {
  return {};
}

Tensor FixedContextDecoder::unroll(const Tensor& y, const Start& start, const Packing& targets) const {
  return unroll_whole(y, Tensor(), start.state, targets);
}

}  // namespace gradus::models
