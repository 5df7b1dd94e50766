#pragma once

#include <gradus/nn/decoder_step.hpp>

#include <functional>
#include <memory>

#include "kit/attention.hpp"
#include "sizes.hpp"

/// The answers to the parts of exercise 11.
struct Luong {
  using MakeAttention =
      std::function<std::unique_ptr<gradus::nn::Attention>(const exercise::AttentionSizes&)>;
  using MakeLocal = std::function<std::unique_ptr<gradus::nn::Attention>(const exercise::AttentionSizes&,
                                                                         double half_window)>;
  using MakeDecoder = std::function<std::unique_ptr<gradus::nn::DecoderStep>(
      const LuongSizes&, std::unique_ptr<gradus::nn::Attention>)>;

  MakeAttention dot, general, concat;
  MakeDecoder decoder, input_feeding;
  MakeLocal local_m, local_p;
};

exercise::Exercise luong_exercise(const Luong& answer);
