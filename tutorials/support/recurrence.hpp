#pragma once

#include <gradus/autograd/tensor.hpp>
#include <gradus/nn/recurrent.hpp>

#include <functional>
#include <vector>

#include "table.hpp"

/// Recurrent networks step by step, of any kind.
namespace tutorial {

using State = gradus::nn::RecurrentState;  ///< {h}, or {h, c} for an LSTM; (B, H) each

/// The state after x (B, I).
using StepFunction =
    std::function<State(const gradus::nn::RecurrentWeights&, const gradus::Tensor& x, const State& before)>;

/// Tutorial 04's step: tanh(W_ih x + b_ih + W_hh h + b_hh).
State rnn_step(const gradus::nn::RecurrentWeights& p, const gradus::Tensor& x, const State& before);

/// Its loop over x (T, B, I), from zeros. Returns the states 0 … T.
std::vector<State> unroll(const StepFunction& step, const gradus::nn::RecurrentWeights& weights,
                          const gradus::Tensor& x);

/// The weights of one GRU of H units, in f64, read by three conventions over x: how far the states are from
/// those of `cho`, after one step and after all. Bahdanau's reads them also with the weights of z negated.
Table gru_conventions(std::int64_t H, const StepFunction& cho, const StepFunction& pytorch,
                      const StepFunction& bahdanau, const gradus::Tensor& x);

}  // namespace tutorial
