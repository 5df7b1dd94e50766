#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/nn/scored_attention.hpp>

namespace gradus::nn {
ScoredAttention::ScoredAttention(double dropout) : dropout_(dropout) { add_module("dropout", dropout_); }

Attention::Result ScoredAttention::attend(const Tensor& query, const Memory& memory, std::int64_t step,
                                          const Tensor& previous_weights) const {
  const Scope scope = enter();
  const Tensor alpha = masked_softmax(energies(query, memory, step, previous_weights), memory.lengths);
  return {weighted_sum(dropout_.forward(alpha), memory.values, memory.lengths), alpha};
}

}  // namespace gradus::nn
