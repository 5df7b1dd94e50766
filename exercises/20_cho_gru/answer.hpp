#pragma once

#include <gradus/nn/recurrent.hpp>

#include <functional>

#include "kit/check.hpp"

/// The answer to exercise 20.
struct ChoGru {
  using Tensor = gradus::Tensor;
  using Weights = gradus::nn::RecurrentWeights;
  /// h′ (B, H) from x (B, I) and h (B, H).
  std::function<Tensor(const Weights& p, const Tensor& x, const Tensor& h)> step;
  /// All states, (T, B, H), from x (T, B, I), lengths (B) and the state before the first step, (B, H).
  std::function<Tensor(const Weights& p, const Tensor& x, const Tensor& lengths, const Tensor& first)> states;
};

exercise::Exercise cho_gru_exercise(const ChoGru& answer);
