#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/nn/scored_attention.hpp>

namespace gradus::nn {
namespace {

// Composed equivalent of weighted_sum.
Tensor composed_context(const Tensor& weights, const Tensor& values) {
  return sum(unsqueeze(transpose(weights, 0, 1), -1) * values, 0);  // (T, B, 1) · (T, B, D), summed: (B, D)
}

}  // namespace

ScoredAttention::ScoredAttention(double dropout) : dropout_(dropout) { add_module("dropout", dropout_); }

Attention::Result ScoredAttention::attend(const Tensor& query, const Memory& memory, std::int64_t step,
                                          const Tensor& previous_weights) const {
  const Scope scope = enter();
  const Tensor alpha = masked_softmax(energies(query, memory, step, previous_weights), memory.lengths);
  const Tensor used = dropout_.forward(alpha);
  return {uses_fused_operations() ? weighted_sum(used, memory.values, memory.lengths)
                                  : composed_context(used, memory.values),
          alpha};
}

}  // namespace gradus::nn
