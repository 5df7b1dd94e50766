#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/nn/init.hpp>
#include <gradus/nn/local_attention.hpp>

#include <cmath>
#include <limits>

namespace gradus::nn {

LocalPredictiveAttention::LocalPredictiveAttention(std::int64_t query_size, std::int64_t value_size,
                                                   std::int64_t energy_size, double half_window,
                                                   double dropout)
    : AdditiveAttention(query_size, value_size, energy_size, dropout),
      W_p(query_size, energy_size, false),
      v_p(add_parameter("v_p", uniform_fan_in({energy_size}, energy_size))),
      half_window_(half_window) {
  if (!(half_window >= 1 && std::isfinite(half_window))) {
    fail("LocalPredictiveAttention", "half the window must be finite and at least 1, and is ", half_window);
  }
  add_module("W_p", W_p);
}

Tensor LocalPredictiveAttention::position(const Tensor& query, const Memory& memory) const {
  const Dtype dtype = query.dtype();
  const Tensor S = memory.lengths.defined() ? memory.lengths.to(dtype)
                                            : full({}, static_cast<double>(memory.values.size(0)), dtype);
  // Uses sum() instead of matmul(), because the bits of a BLAS matrix-vector product depend on the batch
  // size.
  return S * sigmoid(sum(tanh(W_p.forward(query)) * v_p, -1));
}

Attention::Result LocalPredictiveAttention::attend(const Tensor& query, const Memory& memory,
                                                   std::int64_t step, const Tensor& previous_weights) const {
  const Scope scope = enter();
  const Tensor e = energies(query, memory, step, previous_weights);
  const Tensor away = arange(e.size(1)).to(e.dtype()) - unsqueeze(position(query, memory), 1);  // (B, T)
  const Tensor outside = greater(abs(away), full({}, half_window_, e.dtype()));
  const double sigma = half_window_ / 2;
  const Tensor alpha =
      normalised(masked_fill(e, outside, -std::numeric_limits<double>::infinity()), memory.lengths) *
      exp(away * away * (-0.5 / (sigma * sigma)));
  return summed(alpha, memory);
}

}  // namespace gradus::nn
