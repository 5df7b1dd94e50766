// The second extension point carries Luong's decoder (Luong et al. 2015): it attends by s_t, after its
// update, and feeds h̃ back in, which lives in its state.

#include <gradus/nn/additive_attention.hpp>

#include "models/extension.hpp"

namespace models = gradus::models;
namespace nn = gradus::nn;
using gradus::concat;
using gradus::Scope;
using gradus::Tensor;

namespace {

struct LuongSizes {
  std::int64_t vocabulary, summary, annotation, embedding, hidden, attentional;
};

//     s_t = GRU([E y_{t−1}; h̃_{t−1}], s_{t−1})        (section 3.3, input feeding)
//     h̃_t = tanh(W_c [c_t; s_t])                       (eq. 5)
//     logits_t = W_o h̃_t                               (eq. 6)
class LuongDecoder : public nn::DecoderStep {
 public:
  explicit LuongDecoder(const LuongSizes& n)
      : embedding(n.vocabulary, n.embedding),
        attention(n.hidden, n.annotation, 3),
        W_s(n.summary, n.hidden, false),
        cell(n.embedding + n.attentional, n.hidden),
        W_c(n.annotation + n.hidden, n.attentional, false),
        readout(n.attentional, n.vocabulary) {
    add_module("embedding", embedding);
    add_module("attention", attention);
    add_module("W_s", W_s);
    add_module("cell", cell);
    add_module("W_c", W_c);
    add_module("readout", readout);
  }

  Start start(const nn::Annotations& annotations) const override {
    const Scope scope = enter();
    const Tensor s = tanh(W_s.forward(concat({annotations.last_forward, annotations.first_backward}, 1)));
    return {.state = {{{"s", s},
                       {"h_tilde", gradus::zeros({s.size(0), W_c.weight.size(0)}, s.dtype())},
                       {"weights", Tensor()}}},
            .memory = attention.prepare(annotations.h, annotations.lengths)};
  }

  Output step(const Tensor& previous, const nn::State& state, const nn::Memory& memory) const override {
    const Scope scope = enter();
    const Tensor s = cell.forward(concat({embedding.forward(previous), state["h_tilde"]}, 1), state["s"]);
    const auto [c, alpha] = attention.attend(s, memory, state.step(), state["weights"]);
    const Tensor h_tilde = tanh(W_c.forward(concat({c, s}, 1)));
    return {.logits = readout.forward(h_tilde),
            .state = {{{"s", s}, {"h_tilde", h_tilde}, {"weights", alpha}}, state.step() + 1},
            .weights = alpha};
  }

  nn::Embedding embedding;
  nn::AdditiveAttention attention;
  nn::Linear W_s;
  nn::GRUCell cell;
  nn::Linear W_c, readout;
};

models::Seq2Seq luong() {
  gradus::seed(3);
  constexpr std::int64_t H = 2;  // of the encoder
  return {{.vocabulary = tiny.vocabulary, .embedding = 5, .hidden = H},
          std::make_unique<LuongDecoder>(LuongSizes{.vocabulary = tiny.vocabulary,
                                                    .summary = 2 * H,
                                                    .annotation = 2 * H,
                                                    .embedding = 6,
                                                    .hidden = 8,
                                                    .attentional = 7})};
}

}  // namespace

TEST_CASE("Luong's decoder with input feeding fits in", "[models][extension]") {
  models::Seq2Seq model = luong();
  check_extension(model);
}

TEST_CASE("what a step keeps for the next is chosen with its row", "[models][extension]") {
  const models::Seq2Seq model = luong();
  const BatchTensors x(tiny_batch());
  const auto [start, memory] = model.decoder->start(model.encoder.forward(x.source, x.source_lengths));
  const auto first = model.decoder->step(x.target_in[0], start, memory);

  // The rows of the batch in another order, before the second step or after it.
  const Tensor order = integers({2, 0, 1}), previous = index_select(x.target_in[1], order);
  const auto chosen = [&](const Tensor& memory_part) {
    return transpose(index_select(transpose(memory_part, 0, 1), order), 0, 1);
  };
  const nn::Memory reordered{chosen(memory.values), chosen(memory.keys), index_select(memory.lengths, order)};
  const auto before = model.decoder->step(previous, first.state.select(order), reordered);
  const auto after = model.decoder->step(x.target_in[1], first.state, memory);
  CHECK(mismatch(before.logits, index_select(after.logits, order), {1e-6, 0}) == "");
  CHECK(mismatch(before.state["h_tilde"], after.state.select(order)["h_tilde"], {1e-6, 0}) == "");
  CHECK(before.state.step() == 2);
}
