#include "mistakes.hpp"

#include <gradus/autograd/ops.hpp>
#include <gradus/error.hpp>
#include <gradus/models/recurrent_decoder.hpp>

#include <utility>

#include "luong_decoder.hpp"
#include "own_attention.hpp"
#include "score.hpp"

namespace gradus::web {
namespace {

using models::RecurrentDecoder;

// models::BahdanauDecoder with one layer and the chosen mistakes. Computes each step by itself, without the
// library's operation for all steps.
class MistakenDecoder final : public RecurrentDecoder {
 public:
  MistakenDecoder(const models::DecoderOptions& options, std::unique_ptr<nn::Attention> attention,
                  const Mistakes& mistakes)
      : RecurrentDecoder({.name = "BahdanauDecoder",
                          .context = options.annotation,
                          .summary = options.annotation,
                          .bridge = models::Bridge::backward,
                          .readout = models::ReadoutForm::linear},
                         options),
        attention_(std::move(attention)),
        mistakes_(mistakes) {
    add_module("attention", *attention_);
  }

  Start start(const nn::Annotations& given) const override {
    nn::Annotations annotations = given;
    const std::int64_t T = given.h.size(0), H = given.h.size(2) / 2;
    if ((mistakes_.wrong_end || mistakes_.no_backward) && !given.first_backward.defined())
      throw Error("the mistake needs a backward direction; choose the encoder with both directions");
    if (mistakes_.wrong_end) annotations.first_backward = given.h[T - 1].slice(H, 2 * H, 1);
    if (mistakes_.no_backward) {
      const Tensor forward = given.h.slice(0, H, 2);
      annotations.h = concat({forward, zeros(forward.shape())}, 2);
    }
    NamedTensors kept{{"weights", Tensor()}};
    if (mistakes_.ask_after) kept.emplace_back("context", zeros({given.h.size(1), context_size()}));
    return {.state = state_of(bridge(annotations), kept, 0),
            .memory = attention_->prepare(annotations.h, annotations.lengths)};
  }

 protected:
  Context find_context(const nn::State& before, const nn::Memory& memory) const override {
    return attend(before["s"], memory);
  }

  Step advance(const Tensor& y, const nn::State& state, const nn::Memory& memory) const override {
    if (!mistakes_.ask_after) return RecurrentDecoder::advance(y, state, memory);
    nn::RecurrentState after = rnn->step(concat({y, state["context"]}, 1), cells(state));
    const Tensor s = after[0];
    const auto [context, kept, weights] = attend(s, memory);
    return {.features = features(s, context),
            .state = state_of(after, {{"weights", weights}, {"context", context}}, state.step() + 1),
            .weights = weights};
  }

 private:
  Context attend(const Tensor& query, const nn::Memory& memory) const {
    const auto score = attention_->fused_score(context_size());
    if (!score) throw Error("this attention has no score that mistakes can change");
    const Tensor e = transpose(energies_of(*score, query, memory, !mistakes_.no_tanh), 0, 1);  // (B, T)
    const Tensor lengths = mistakes_.no_mask ? Tensor() : memory.lengths;
    const Tensor alpha = lengths.defined() ? masked_softmax(e, lengths) : softmax(e, 1);
    return {.context = weighted_sum(alpha, memory.values, lengths),
            .kept = {{"weights", alpha}},
            .weights = alpha};
  }

  const std::unique_ptr<nn::Attention> attention_;
  const Mistakes mistakes_;
};

}  // namespace

models::Registry registry_with(const Mistakes& mistakes) {
  models::Registry registry = models::Registry::standard();
  for (const auto& [name, kind] : own_attentions()) registry.attentions[name] = kind;
  add_luong_decoders(registry);
  if (mistakes.any()) {
    registry.decoders["bahdanau"].make = [mistakes](const models::DecoderOptions& options,
                                                    const auto& attention) {
      return std::make_unique<MistakenDecoder>(options, attention(), mistakes);
    };
  }
  return registry;
}

bool is_mistaken(const nn::DecoderStep& decoder) {
  return dynamic_cast<const MistakenDecoder*>(&decoder) != nullptr;
}

}  // namespace gradus::web
