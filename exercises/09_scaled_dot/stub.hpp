#pragma once

#include <gradus/autograd/ops.hpp>
#include <gradus/nn/linear.hpp>
#include <gradus/nn/scored_attention.hpp>

#include <cmath>

#include "kit/finding.hpp"

using namespace gradus;

// e_j = (W_q s) · (W_k h_j) / √d. ScoredAttention computes the weights and the context.
class ScaledDotAttention : public nn::ScoredAttention {
 public:
  ScaledDotAttention(std::int64_t query_size, std::int64_t value_size, std::int64_t d)
      : W_q(query_size, d, false), W_k(value_size, d, false) {
    add_module("W_q", W_q);
    add_module("W_k", W_k);
  }

  // Called once per batch. Returns the values (T, B, D), the lengths and the keys.
  nn::Memory prepare(const Tensor& /*values*/, const Tensor& /*lengths*/) const override {
    // TODO
    exercise::to_do("Write prepare(): the memory, with the keys k_j = W_k h_j, (T, B, d).");
  }

  nn::Linear W_q, W_k;  // weights (d, Q) and (d, D)

 protected:
  // Called once per step. Returns the energies e, (B, T), for a query (B, Q).
  Tensor energies(const Tensor& /*query*/, const nn::Memory& /*memory*/, std::int64_t /*step*/,
                  const Tensor& /*previous_weights*/) const override {
    // TODO
    exercise::to_do("Write energies(): e_j = (W_q s) · k_j / √d, as (B, T).");
  }
};
