#pragma once

#include <gradus/autograd/ops.hpp>
#include <gradus/nn/attention.hpp>
#include <gradus/nn/init.hpp>
#include <gradus/nn/linear.hpp>

#include "kit/finding.hpp"

using namespace gradus;

// e_tj = v_a · tanh(W_a s_{t−1} + U_a h_j)
class AdditiveAttention : public nn::Attention {
 public:
  AdditiveAttention(std::int64_t query_size, std::int64_t value_size, std::int64_t energy_size)
      : W_a(query_size, energy_size, /*with_bias=*/false),                           // (A, Q)
        U_a(value_size, energy_size, /*with_bias=*/false),                           // (A, D)
        v_a(add_parameter("v_a", nn::uniform_fan_in({energy_size}, energy_size))) {  // (A)
    add_module("W_a", W_a);
    add_module("U_a", U_a);
  }

  // Called once per batch with the values h (T, B, D) and the lengths (B). Undefined lengths mean that all
  // positions are real.
  nn::Memory prepare(const Tensor& values, const Tensor& lengths) const override {
    nn::Memory memory = nn::Attention::prepare(values, lengths);  // checks its arguments; sets no keys
    // TODO
    exercise::to_do(
        "Write prepare(): store the part of the energies that does not depend on the query in memory.keys, "
        "(T, B, A).");
    return memory;
  }

  // Called once per step with the query s_{t−1}, (B, Q). Returns {context (B, D), weights (B, T)}.
  Result attend(const Tensor& /*query*/, const nn::Memory& /*memory*/, std::int64_t /*step*/,
                const Tensor& /*previous_weights*/) const override {
    // TODO
    exercise::to_do(
        "Write attend(): the energies e_tj = v_a · tanh(W_a s_{t−1} + U_a h_j), their softmax over the real "
        "positions, and the context c_t = Σ_j α_tj h_j.");
  }

  nn::Linear W_a, U_a;
  Tensor v_a;
};
