#pragma once

#include <gradus/autograd/ops.hpp>
#include <gradus/nn/attention.hpp>
#include <gradus/nn/init.hpp>
#include <gradus/nn/linear.hpp>

using namespace gradus;

// e_tj = v_a · tanh(W_a s_{t−1} + U_a h_j)
class AdditiveAttention : public nn::Attention {
 public:
  AdditiveAttention(std::int64_t query_size, std::int64_t value_size, std::int64_t energy_size)
      : W_a(query_size, energy_size, /*with_bias=*/false),
        U_a(value_size, energy_size, /*with_bias=*/false),
        v_a(add_parameter("v_a", nn::uniform_fan_in({energy_size}, energy_size))) {
    add_module("W_a", W_a);
    add_module("U_a", U_a);
  }

  nn::Memory prepare(const Tensor& values, const Tensor& lengths) const override {
    nn::Memory memory = nn::Attention::prepare(values, lengths);
    memory.keys = U_a.forward(values);  // (T, B, A)
    return memory;
  }

  Result attend(const Tensor& query, const nn::Memory& memory, std::int64_t /*step*/,
                const Tensor& /*previous_weights*/) const override {
    const Tensor inside = tanh(W_a.forward(query) + memory.keys);           // (B, A) + (T, B, A) → (T, B, A)
    const Tensor e = transpose(sum(v_a * inside, 2), 0, 1);                 // (B, T)
    const Tensor alpha = masked_softmax(e, memory.lengths);                 // (B, T)
    const Tensor columns = unsqueeze(transpose(alpha, 0, 1), -1);           // (T, B, 1)
    return {.context = sum(columns * memory.values, 0), .weights = alpha};  // (B, D)
  }

  nn::Linear W_a, U_a;
  Tensor v_a;
};
