#pragma once

#include <gradus/autograd/tensor.hpp>
#include <gradus/nn/recurrent.hpp>

#include <functional>
#include <vector>

#include "support/page/table.hpp"

/// Runs recurrent networks of any kind step by step.
namespace tutorial {

using State = gradus::nn::RecurrentState;  ///< {h}, or {h, c} in an LSTM; (B, H) each

/// Computes the next state from x (B, I).
using StepFunction =
    std::function<State(const gradus::nn::RecurrentWeights&, const gradus::Tensor& x, const State& before)>;

/// The step of tutorial 04: tanh(W_ih x + b_ih + W_hh h + b_hh).
State rnn_step(const gradus::nn::RecurrentWeights& p, const gradus::Tensor& x, const State& before);

/// Runs a step function over x (T, B, I) from a zero state. Returns the states 0 … T.
std::vector<State> unroll(const StepFunction& step, const gradus::nn::RecurrentWeights& weights,
                          const gradus::Tensor& x);

/// Runs a GRU with H units over x in three conventions, with the same weights, in f64. A fourth run uses
/// Bahdanau's convention with the weights of z negated. The table compares each other run with that of `cho`:
/// the largest difference of the states after the first step, and after the last step.
Table gru_conventions(std::int64_t H, const StepFunction& cho, const StepFunction& pytorch,
                      const StepFunction& bahdanau, const gradus::Tensor& x);

}  // namespace tutorial
