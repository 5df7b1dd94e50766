#pragma once

#include <gradus/autograd/ops.hpp>
#include <gradus/nn/additive_attention.hpp>

#include <algorithm>
#include <limits>

using namespace gradus;

// The weights (B, T) for energies e (B, T): in each row, the softmax of the k largest among the first
// lengths[b] energies, and 0 elsewhere.
inline Tensor top_k_softmax(const Tensor& e, const Tensor& lengths, std::int64_t k) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::int64_t T = e.size(1);

  // The choice of positions has no gradient.
  Tensor left = e.detach();
  if (lengths.defined()) {
    left = masked_fill(left, less_equal(unsqueeze(lengths, 1), arange(T)), -infinity);  // (B, 1) ≤ (T)
  }
  Tensor chosen = zeros(e.shape(), Dtype::i64);
  for (std::int64_t i = 0; i < std::min(k, T); ++i) {
    // If all remaining energies are −∞, argmax returns position 0, which is chosen already: nothing changes.
    const Tensor largest = one_hot(argmax(left), T, Dtype::i64);
    chosen = where(largest, largest, chosen);
    left = masked_fill(left, largest, -infinity);
  }
  return softmax(masked_fill(e, equal(chosen, zeros({}, Dtype::i64)), -infinity));
}

// Additive attention whose weights are the softmax of the k largest energies.
class TopKAttention : public nn::AdditiveAttention {
 public:
  TopKAttention(std::int64_t query_size, std::int64_t value_size, std::int64_t energy_size, std::int64_t k_)
      : AdditiveAttention(query_size, value_size, energy_size), k(k_) {}

  Result attend(const Tensor& query, const nn::Memory& memory, std::int64_t step,
                const Tensor& previous_weights) const override {
    const Tensor e = energies(query, memory, step, previous_weights);   // (B, T)
    const Tensor weights = top_k_softmax(e, memory.lengths, k);         // (B, T)
    const Tensor by_position = unsqueeze(transpose(weights, 0, 1), 2);  // (T, B, 1)
    return {sum(by_position * memory.values, 0), weights};              // (B, D)
  }

  const std::int64_t k;
};
