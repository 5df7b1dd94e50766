#pragma once

#include <gradus/nn/additive_attention.hpp>
#include <gradus/nn/dropout.hpp>

#include <memory>

#include "models/luong_decoder.hpp"

/// Luong's decoder with dropout on its logits.
class ForgetfulDecoder : public LuongDecoder {
 public:
  ForgetfulDecoder(const LuongSizes& sizes, double probability)
      : LuongDecoder(sizes,
                     std::make_unique<gradus::nn::AdditiveAttention>(sizes.hidden, sizes.annotation, 5)),
        dropout(probability) {
    add_module("dropout", dropout);
  }
  Output step(const gradus::Tensor& previous, const gradus::nn::State& state,
              const gradus::nn::Memory& memory) const override {
    Output output = LuongDecoder::step(previous, state, memory);
    output.logits = dropout.forward(output.logits);
    return output;
  }
  gradus::nn::Dropout dropout;
};

template <class Decoder = ForgetfulDecoder>
Model forgetful_model(double probability, std::int64_t hidden = 4) {
  return std::make_unique<gradus::models::Seq2Seq>(
      gradus::models::EncoderOptions{.vocabulary = tiny.vocabulary, .embedding = 5, .hidden = hidden},
      std::make_unique<Decoder>(LuongSizes{.vocabulary = tiny.vocabulary,
                                           .summary = 2 * hidden,
                                           .annotation = 2 * hidden,
                                           .embedding = 6,
                                           .hidden = hidden,
                                           .attentional = 7},
                                probability));
}
