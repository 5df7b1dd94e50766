#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/nn/additive_attention.hpp>
#include <gradus/nn/init.hpp>

namespace gradus::nn {
namespace {

// Composed equivalent of additive_energy.
Tensor composed_energy(const Tensor& query, const Tensor& keys, const Tensor& v) {
  const Tensor e = sum(v * tanh(keys + query), 2);  // keys (T, B, A) + query (B, A), summed: (T, B)
  return transpose(e, 0, 1);                        // (B, T)
}

}  // namespace

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

Tensor AdditiveAttention::energies(const Tensor& query, const Memory& memory, std::int64_t /*step*/,
                                   const Tensor& /*previous_weights*/) const {
  const Tensor projected = W_a.forward(query);  // (B, A)
  return uses_fused_operations() ? additive_energy(projected, memory.keys, v_a, memory.lengths)
                                 : composed_energy(projected, memory.keys, v_a);
}

}  // namespace gradus::nn
