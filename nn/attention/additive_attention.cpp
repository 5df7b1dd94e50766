#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/nn/additive_attention.hpp>
#include <gradus/nn/init.hpp>

namespace gradus::nn {
AdditiveAttention::AdditiveAttention(std::int64_t query_size, std::int64_t value_size,
                                     std::int64_t energy_size, double dropout)
    : ScoredAttention(dropout),
      W_a(query_size, energy_size, false),
      U_a(value_size, energy_size, false),
      v_a(add_parameter("v_a", uniform_fan_in({energy_size}, energy_size))) {
  add_module("W_a", W_a);
  add_module("U_a", U_a);
}

Memory AdditiveAttention::prepare(const Tensor& values, const Tensor& lengths) const {
  Memory memory = Attention::prepare(values, lengths);
  const Scope scope = enter();
  memory.keys = U_a.forward(values);
  return memory;
}

// The equation is in additive_attention.hpp, and autograd/fused/additive_energy.cpp computes it. If
// fused_score() returns a score, decoders train with attention_sequence(), which does not call energies().
Tensor AdditiveAttention::energies(const Tensor& query, const Memory& memory, std::int64_t /*step*/,
                                   const Tensor& /*previous_weights*/) const {
  return additive_energy(W_a.forward(query), memory.keys, v_a, memory.lengths);
}

std::optional<AttentionScore> AdditiveAttention::fused_score(std::int64_t /*value_size*/) const {
  if (!can_be_fused<AdditiveAttention>()) return std::nullopt;
  return AttentionScore{.W_a = W_a.weight, .v_a = v_a, .dropout = dropout()};
}

}  // namespace gradus::nn
