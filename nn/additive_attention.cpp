#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/nn/additive_attention.hpp>
#include <gradus/nn/init.hpp>

namespace gradus::nn {
namespace {

// The twin of additive_energy.
Tensor composed_energy(const Tensor& query, const Tensor& keys, const Tensor& v) {
  const Tensor e = sum(v * tanh(keys + query), 2);  // keys (T, B, A) + query (B, A), summed: (T, B)
  return transpose(e, 0, 1);                        // (B, T)
}

// The twin of weighted_sum.
Tensor composed_context(const Tensor& weights, const Tensor& values) {
  const Tensor alpha = transpose(weights, 0, 1).reshape({values.size(0), values.size(1), 1});  // (T, B, 1)
  return sum(alpha * values, 0);                                                               // (B, D)
}

}  // namespace

AdditiveAttention::AdditiveAttention(std::int64_t query_size, std::int64_t value_size,
                                     std::int64_t energy_size)
    : W_a(query_size, energy_size, false),
      U_a(value_size, energy_size, false),
      v_a(add_parameter("v_a", uniform_fan_in({energy_size}, energy_size))) {
  add_module("W_a", W_a);
  add_module("U_a", U_a);
}

Memory AdditiveAttention::prepare(const Tensor& values, const Tensor& lengths) const {
  const Scope scope = enter();
  if (values.rank() != 3)
    fail("AdditiveAttention", "the values are ", values.shape(), " and must be (T, B, D)");
  check_lengths("AdditiveAttention", lengths, values.size(1), values.size(0));
  return {values, U_a.forward(values), lengths};
}

Attention::Result AdditiveAttention::attend(const Tensor& query, const Memory& memory, std::int64_t /*step*/,
                                            const Tensor& /*previous_weights*/) const {
  const Scope scope = enter();
  const Tensor projected = W_a.forward(query);  // (B, A)
  if (uses_fused_operations()) {
    const Tensor e = additive_energy(projected, memory.keys, v_a, memory.lengths);
    const Tensor alpha = masked_softmax(e, memory.lengths);
    return {weighted_sum(alpha, memory.values, memory.lengths), alpha};
  }
  const Tensor alpha = masked_softmax(composed_energy(projected, memory.keys, v_a), memory.lengths);
  return {composed_context(alpha, memory.values), alpha};
}

}  // namespace gradus::nn
