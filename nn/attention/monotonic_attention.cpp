#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/nn/init.hpp>
#include <gradus/nn/monotonic_attention.hpp>

#include <cmath>
#include <limits>

#include "attention/previous_weights.hpp"

namespace gradus::nn {
namespace {

// Shifts each row of x (B, T) to the right by d places. The first d places become 0.
Tensor moved(const Tensor& x, std::int64_t d) { return pad(x.slice(0, x.size(1) - d, 1), 1, d, 0); }

// Sets e (B, T) to −∞ beyond the lengths, so that a walk cannot stop there.
Tensor within(const Tensor& e, const Tensor& lengths) {
  if (!lengths.defined()) return e;
  const Tensor beyond = greater_equal(arange(e.size(1)), unsqueeze(lengths, 1));
  return masked_fill(e, beyond, -std::numeric_limits<double>::infinity());
}

}  // namespace

Tensor monotonic_weights(const Tensor& p, const Tensor& previous) {
  if (p.rank() != 2 || p.shape() != previous.shape()) {
    fail("monotonic_weights", "needs p (B, T) and previous weights of the same shape, and got ", p.shape(),
         " and ", previous.shape());
  }
  const std::int64_t T = p.size(1);
  if (T == 0) return p;
  // Begins with q_j = a_j q_{j−1} + b_j. The rounds turn this into q_j = a_j q_{j−2} + b_j, then into
  // q_j = a_j q_{j−4} + b_j, …, and finally into q_j = b_j.
  Tensor a = moved(1.0 - p, 1), b = previous;
  for (std::int64_t d = 1; d < T; d *= 2) {
    b = b + a * moved(b, d);
    if (2 * d < T) a = a * moved(a, d);
  }
  return p * b;
}

MonotonicAttention::MonotonicAttention(std::int64_t query_size, std::int64_t value_size,
                                       std::int64_t energy_size, MonotonicOptions options)
    : W_a(query_size, energy_size, false),
      U_a(value_size, energy_size, true),
      v(add_parameter("v", uniform_fan_in({energy_size}, energy_size))),
      g(add_parameter("g", full({}, options.scale))),
      r(add_parameter("r", full({}, options.bias))),
      noise_(options.noise),
      dropout_(options.dropout) {
  if (!(noise_ >= 0 && std::isfinite(noise_))) {
    fail("MonotonicAttention", "the noise must be finite and at least 0, and is ", noise_);
  }
  if (options.scale == 0 || !std::isfinite(options.scale)) {
    fail("MonotonicAttention", "the scale must be finite and not 0, and is ", options.scale);
  }
  add_module("W_a", W_a);
  add_module("U_a", U_a);
  add_module("dropout", dropout_);
}

Memory MonotonicAttention::prepare(const Tensor& values, const Tensor& lengths) const {
  Memory memory = Attention::prepare(values, lengths);
  const Scope scope = enter();
  memory.keys = U_a.forward(values);
  return memory;
}

Attention::Result MonotonicAttention::attend(const Tensor& query, const Memory& memory, std::int64_t /*step*/,
                                             const Tensor& previous_weights) const {
  const Scope scope = enter();
  const Tensor previous = previous_or_start("MonotonicAttention", previous_weights, memory);
  const Tensor direction = v / sqrt(sum(v * v));
  Tensor e = additive_energy(W_a.forward(query), memory.keys, g * direction, memory.lengths) + r;
  if (is_training() && noise_ > 0) e = e + normal(e.shape(), 0, noise_, default_generator(), e.dtype());
  e = within(e, memory.lengths);
  const Tensor p = is_training() ? sigmoid(e) : greater(e, zeros({}, e.dtype())).to(e.dtype());
  const Tensor alpha = monotonic_weights(p, previous);
  return {weighted_sum(dropout_.forward(alpha), memory.values, memory.lengths), alpha};
}

}  // namespace gradus::nn
