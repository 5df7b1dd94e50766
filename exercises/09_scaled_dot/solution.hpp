#pragma once

#include <gradus/autograd/ops.hpp>
#include <gradus/nn/linear.hpp>
#include <gradus/nn/scored_attention.hpp>

#include <cmath>

using namespace gradus;

// e_j = (W_q s) · (W_k h_j) / √d. ScoredAttention computes the weights and the context.
class ScaledDotAttention : public nn::ScoredAttention {
 public:
  ScaledDotAttention(std::int64_t query_size, std::int64_t value_size, std::int64_t d)
      : W_q(query_size, d, false), W_k(value_size, d, false) {
    add_module("W_q", W_q);
    add_module("W_k", W_k);
  }

  nn::Memory prepare(const Tensor& values, const Tensor& lengths) const override {
    nn::Memory memory = Attention::prepare(values, lengths);
    memory.keys = W_k.forward(values);  // (T, B, d)
    return memory;
  }

  nn::Linear W_q, W_k;  // weights (d, Q) and (d, D)

 protected:
  Tensor energies(const Tensor& query, const nn::Memory& memory, std::int64_t /*step*/,
                  const Tensor& /*previous_weights*/) const override {
    const Tensor q = W_q.forward(query);       // (B, d)
    const Tensor e = sum(memory.keys * q, 2);  // (T, B, d) · (B, d), summed over d: (T, B)
    const auto d = static_cast<double>(q.size(1));
    return transpose(e, 0, 1) / std::sqrt(d);  // (B, T)
  }
};
