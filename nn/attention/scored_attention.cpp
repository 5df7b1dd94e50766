#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/nn/scored_attention.hpp>

namespace gradus::nn {
ScoredAttention::ScoredAttention(double dropout) : dropout_(dropout) { add_module("dropout", dropout_); }

Tensor ScoredAttention::normalised(const Tensor& energies, const Tensor& lengths) const {
  if (has_softmax()) return masked_softmax(energies, lengths);
  return normaliser_.weights(energies, lengths, is_training());
}

Attention::Result ScoredAttention::summed(const Tensor& alpha, const Memory& memory) const {
  // With Estimator::reinforce, only reinforce_loss() may give alpha a gradient, so the context uses a
  // detached alpha.
  const Tensor used = estimator() == Estimator::reinforce ? alpha.detach() : alpha;
  return {weighted_sum(dropout_.forward(used), memory.values, memory.lengths), alpha};
}

Attention::Result ScoredAttention::attend(const Tensor& query, const Memory& memory, std::int64_t step,
                                          const Tensor& previous_weights) const {
  const Scope scope = enter();
  const Tensor e = energies(query, memory, step, previous_weights);
  return summed(normalised(e, memory.lengths), memory);
}

}  // namespace gradus::nn
