#pragma once

#include <gradus/autograd/ops.hpp>
#include <gradus/nn/decoder_step.hpp>
#include <gradus/nn/embedding.hpp>
#include <gradus/nn/init.hpp>
#include <gradus/nn/linear.hpp>

#include <memory>
#include <utility>

#include "kit/finding.hpp"

using namespace gradus;

class LstmCell : public nn::Module {
 public:
  LstmCell(std::int64_t inputs, std::int64_t hidden)
      : weight_ih(add_parameter("weight_ih", nn::uniform_fan_in({4 * hidden, inputs}, hidden))),
        weight_hh(add_parameter("weight_hh", nn::uniform_fan_in({4 * hidden, hidden}, hidden))),
        bias_ih(add_parameter("bias_ih", nn::uniform_fan_in({4 * hidden}, hidden))),
        bias_hh(add_parameter("bias_hh", nn::uniform_fan_in({4 * hidden}, hidden))) {}

  // {h′, c′}, (B, H) each, from x (B, I), h (B, H) and c (B, H).
  std::pair<Tensor, Tensor> forward(const Tensor& /*x*/, const Tensor& /*h*/, const Tensor& /*c*/) const {
    // TODO
    exercise::to_do("Write LstmCell::forward(): compute i, f, g and o, then c′ and h′.");
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
  Start start(const nn::Annotations& /*annotations*/) const override {
    // TODO
    exercise::to_do(
        "Write LstmDecoder::start(): return the first state {h, c} and the memory from "
        "attention->prepare().");
  }

  // One decoding step, from y_{t−1} (B) and the previous state: {logits (B, V), state, weights (B, T)}.
  Output step(const Tensor& /*previous*/, const nn::State& /*state*/,
              const nn::Memory& /*memory*/) const override {
    // TODO
    exercise::to_do("Write LstmDecoder::step(): attend with h, advance the cell, and compute the logits.");
  }

  nn::Embedding embedding;
  nn::Linear W_s;
  LstmCell cell;
  nn::Linear W_o;
  const std::unique_ptr<nn::Attention> attention;
};
