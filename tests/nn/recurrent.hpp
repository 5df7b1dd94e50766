#pragma once

#include <gradus/nn/gru.hpp>
#include <gradus/nn/lstm.hpp>
#include <gradus/nn/rnn.hpp>

#include <concepts>
#include <vector>

#include "nn/helpers.hpp"

/// A GRU in the papers' form, GRUForm::original, as a type for RECURRENT_KINDS.
struct OriginalGRU : gradus::nn::GRU {
  OriginalGRU(std::int64_t inputs, std::int64_t hidden, gradus::nn::GRUOptions options = {})
      : GRU(inputs, hidden, original(options)) {}

 private:
  static gradus::nn::GRUOptions original(gradus::nn::GRUOptions options) {
    options.form = gradus::nn::GRUForm::original;
    return options;
  }
};

/// All kinds of recurrent modules, for TEMPLATE_TEST_CASE.
#define RECURRENT_KINDS gradus::nn::RNN, gradus::nn::GRU, OriginalGRU, gradus::nn::LSTM

/// {h_0, c_0}. A kind without c reads only h_0. Both may be undefined.
using FirstStates = std::vector<gradus::Tensor>;
inline const FirstStates no_states(2);

template <class Kind>
typename Kind::Output forward(const Kind& net, const gradus::Tensor& x,
                              const gradus::Tensor& lengths = gradus::Tensor(),
                              const FirstStates& first = no_states) {
  if constexpr (std::same_as<Kind, gradus::nn::LSTM>) {
    return net.forward(x, lengths, first[0], first[1]);
  } else {
    return net.forward(x, lengths, first[0]);
  }
}
