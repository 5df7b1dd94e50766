#pragma once

#include <gradus/models/seq2seq.hpp>
#include <gradus/nn/attention.hpp>
#include <gradus/nn/decoder_step.hpp>
#include <gradus/nn/embedding.hpp>
#include <gradus/nn/gru.hpp>
#include <gradus/nn/linear.hpp>

#include <memory>
#include <utility>

#include "models/helpers.hpp"

struct LuongSizes {
  std::int64_t vocabulary, summary, annotation, embedding, hidden, attentional;
};

/// The decoder of Luong et al. 2015 with any attention. The query is s_t, the updated state. h̃ is kept in the
/// state, because the next step reads it.
///
///     s_t = GRU([E y_{t−1}; h̃_{t−1}], s_{t−1})        (section 3.3, input feeding)
///     h̃_t = tanh(W_c [c_t; s_t])                       (eq. 5)
///     logits_t = W_o h̃_t + b_o                         (eq. 6, with a bias)
class LuongDecoder : public gradus::nn::DecoderStep {
 public:
  LuongDecoder(const LuongSizes& n, std::unique_ptr<gradus::nn::Attention> given)
      : embedding(n.vocabulary, n.embedding),
        attention(std::move(given)),
        W_s(n.summary, n.hidden, false),
        cell(n.embedding + n.attentional, n.hidden),
        W_c(n.annotation + n.hidden, n.attentional, false),
        readout(n.attentional, n.vocabulary) {
    add_module("embedding", embedding);
    add_module("attention", *attention);
    add_module("W_s", W_s);
    add_module("cell", cell);
    add_module("W_c", W_c);
    add_module("readout", readout);
  }

  Start start(const gradus::nn::Annotations& annotations) const override {
    using gradus::Tensor;
    const gradus::Scope scope = enter();
    const Tensor s =
        tanh(W_s.forward(gradus::concat({annotations.last_forward, annotations.first_backward}, 1)));
    return {.state = {{{"s", s},
                       {"h_tilde", gradus::zeros({s.size(0), W_c.weight.size(0)}, s.dtype())},
                       {"weights", Tensor()}}},
            .memory = attention->prepare(annotations.h, annotations.lengths)};
  }

  Output step(const gradus::Tensor& previous, const gradus::nn::State& state,
              const gradus::nn::Memory& memory) const override {
    using gradus::Tensor;
    const gradus::Scope scope = enter();
    const Tensor s =
        cell.forward(gradus::concat({embedding.forward(previous), state["h_tilde"]}, 1), state["s"]);
    const auto [c, alpha] = attention->attend(s, memory, state.step(), state["weights"]);
    const Tensor h_tilde = tanh(W_c.forward(gradus::concat({c, s}, 1)));
    return {.logits = readout.forward(h_tilde),
            .state = {{{"s", s}, {"h_tilde", h_tilde}, {"weights", alpha}}, state.step() + 1},
            .weights = alpha};
  }

  gradus::nn::Embedding embedding;
  const std::unique_ptr<gradus::nn::Attention> attention;
  gradus::nn::Linear W_s;
  gradus::nn::GRUCell cell;
  gradus::nn::Linear W_c, readout;
};

/// A small model. Its sizes differ, except that the summary has the size of an annotation, 4. `hidden` may be
/// 4, too, because some attentions require equal sizes.
inline gradus::models::Seq2Seq luong_model(std::unique_ptr<gradus::nn::Attention> attention,
                                           std::int64_t hidden) {
  constexpr std::int64_t H = 2;  // size of each encoder direction
  return {{.vocabulary = tiny.vocabulary, .embedding = 5, .hidden = H},
          std::make_unique<LuongDecoder>(LuongSizes{.vocabulary = tiny.vocabulary,
                                                    .summary = 2 * H,
                                                    .annotation = 2 * H,
                                                    .embedding = 6,
                                                    .hidden = hidden,
                                                    .attentional = 7},
                                         std::move(attention))};
}
