#pragma once

#include <gradus/autograd/ops.hpp>
#include <gradus/nn/decoder_step.hpp>
#include <gradus/nn/embedding.hpp>
#include <gradus/nn/init.hpp>
#include <gradus/nn/linear.hpp>

#include <memory>
#include <utility>

using namespace gradus;

class LstmCell : public nn::Module {
 public:
  LstmCell(std::int64_t inputs, std::int64_t hidden)
      : weight_ih(add_parameter("weight_ih", nn::uniform_fan_in({4 * hidden, inputs}, hidden))),
        weight_hh(add_parameter("weight_hh", nn::uniform_fan_in({4 * hidden, hidden}, hidden))),
        bias_ih(add_parameter("bias_ih", nn::uniform_fan_in({4 * hidden}, hidden))),
        bias_hh(add_parameter("bias_hh", nn::uniform_fan_in({4 * hidden}, hidden))) {}

  // {h′, c′}, (B, H) each, from x (B, I), h (B, H) and c (B, H).
  std::pair<Tensor, Tensor> forward(const Tensor& x, const Tensor& h, const Tensor& c) const {
    const std::int64_t H = h.size(1);
    const Tensor sums = linear(x, weight_ih, bias_ih) + linear(h, weight_hh, bias_hh);  // (B, 4H)
    const std::vector<Tensor> gates = split(sums, {H, H, H, H}, 1);                     // (B, H) each
    const Tensor i = sigmoid(gates[0]), f = sigmoid(gates[1]), g = tanh(gates[2]), o = sigmoid(gates[3]);
    const Tensor new_c = f * c + i * g;
    return {o * tanh(new_c), new_c};
  }

  Tensor weight_ih, weight_hh, bias_ih, bias_hh;
};

class LstmDecoder : public nn::DecoderStep {
 public:
  LstmDecoder(std::int64_t vocabulary, std::int64_t annotation, std::int64_t embedding_size,
              std::int64_t hidden, std::unique_ptr<nn::Attention> given)
      : embedding(vocabulary, embedding_size),
        W_s(annotation / 2, 2 * hidden, /*with_bias=*/false),
        cell(embedding_size + annotation, hidden),
        W_o(hidden + annotation + embedding_size, vocabulary),
        attention(std::move(given)) {
    add_module("embedding", embedding);
    add_module("W_s", W_s);
    add_module("cell", cell);
    add_module("W_o", W_o);
    add_module("attention", *attention);
  }

  // [h_0; c_0] = tanh(W_s ←h_1)
  Start start(const nn::Annotations& annotations) const override {
    const std::int64_t H = cell.weight_hh.size(1);
    const std::vector<Tensor> first = split(tanh(W_s.forward(annotations.first_backward)), {H, H}, 1);
    return {.state = nn::State({{"h", first[0]}, {"c", first[1]}}),  // (B, H) each
            .memory = attention->prepare(annotations.h, annotations.lengths)};
  }

  Output step(const Tensor& previous, const nn::State& state, const nn::Memory& memory) const override {
    const Tensor y = embedding.forward(previous);                                           // (B, E)
    const auto [z, alpha] = attention->attend(state["h"], memory, state.step(), Tensor());  // (B, D), (B, T)
    const auto [h, c] = cell.forward(concat({y, z}, 1), state["h"], state["c"]);            // (B, H) each
    return {.logits = W_o.forward(concat({h, z, y}, 1)),                                    // (B, V)
            .state = nn::State({{"h", h}, {"c", c}}, state.step() + 1),
            .weights = alpha};
  }

  nn::Embedding embedding;
  nn::Linear W_s;
  LstmCell cell;
  nn::Linear W_o;
  const std::unique_ptr<nn::Attention> attention;
};
