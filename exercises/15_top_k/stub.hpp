#pragma once

#include <gradus/autograd/ops.hpp>
#include <gradus/nn/additive_attention.hpp>

#include <limits>

#include "kit/finding.hpp"

using namespace gradus;

// The weights (B, T) for energies e (B, T): in each row, the softmax of the k largest among the first
// lengths[b] energies, and 0 elsewhere.
inline Tensor top_k_softmax(const Tensor& /*e*/, const Tensor& /*lengths*/, std::int64_t /*k*/) {
  // TODO
  exercise::to_do(
      "Write top_k_softmax(e, lengths, k): the softmax of each row's k largest energies, 0 elsewhere.");
}

// Additive attention whose weights are the softmax of the k largest energies.
class TopKAttention : public nn::AdditiveAttention {
 public:
  TopKAttention(std::int64_t query_size, std::int64_t value_size, std::int64_t energy_size, std::int64_t k_)
      : AdditiveAttention(query_size, value_size, energy_size), k(k_) {}

  // The context (B, D) and the weights (B, T) for a query (B, Q).
  Result attend(const Tensor& /*query*/, const nn::Memory& /*memory*/, std::int64_t /*step*/,
                const Tensor& /*previous_weights*/) const override {
    // TODO
    exercise::to_do("Write attend(): weights = top_k_softmax(energies), and the context with these weights.");
  }

  const std::int64_t k;
};
