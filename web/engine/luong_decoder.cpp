#include "luong_decoder.hpp"

#include <gradus/autograd/ops.hpp>
#include <gradus/models/recurrent_decoder.hpp>

#include <memory>
#include <utility>

namespace gradus::web {
namespace {

using models::RecurrentDecoder;

class LuongDecoder final : public RecurrentDecoder {
 public:
  LuongDecoder(const models::DecoderOptions& options, std::unique_ptr<nn::Attention> given, bool feeding)
      : RecurrentDecoder({.name = "LuongDecoder",
                          .context = feeding ? options.hidden : 0,  // h̃_{t−1} is the cell's context
                          .summary = options.annotation,
                          .bridge = models::Bridge::summary,
                          .readout = models::ReadoutForm::state},
                         options),
        attention(std::move(given)),
        W_c(options.annotation + options.hidden, options.hidden, false) {
    add_module("attention", *attention);
    add_module("W_c", W_c);
  }

  Start start(const nn::Annotations& annotations) const override {
    const Scope scope = enter();
    const nn::RecurrentState first = bridge(annotations);
    return {.state = state_of(first, {{"h_tilde", zeros(first[0].shape())}, {"weights", Tensor()}}, 0),
            .memory = attention->prepare(annotations.h, annotations.lengths)};
  }

  const std::unique_ptr<nn::Attention> attention;
  nn::Linear W_c;

 protected:
  // The cell's context: h̃_{t−1} with input feeding, else none. advance() computes c_t.
  Context find_context(const nn::State& before, const nn::Memory& /*memory*/) const override {
    return {.context = context_size() > 0 ? before["h_tilde"] : Tensor(), .kept = {}, .weights = {}};
  }

  Step advance(const Tensor& y, const nn::State& before, const nn::Memory& memory) const override {
    const Tensor fed = find_context(before, memory).context;
    const nn::RecurrentState after = rnn->step(fed.defined() ? concat({y, fed}, 1) : y, cells(before));
    const Tensor& s = after[0];
    const auto [c, alpha] = attention->attend(s, memory, before.step(), before["weights"]);
    const Tensor h_tilde = tanh(W_c.forward(concat({c, s}, 1)));
    return {.features = h_tilde,
            .state = state_of(after, {{"h_tilde", h_tilde}, {"weights", alpha}}, before.step() + 1),
            .weights = alpha};
  }
};

models::DecoderKind kind(bool feeding) {
  return {.make =
              [feeding](const models::DecoderOptions& options, const auto& attention) {
                return std::make_unique<LuongDecoder>(options, attention(), feeding);
              },
          .context = models::SourceContext::attention};
}

}  // namespace

void add_luong_decoders(models::Registry& registry) {
  registry.decoders["luong"] = kind(false);
  registry.decoders["luong_feeding"] = kind(true);
}

}  // namespace gradus::web
