#pragma once

#include <gradus/autograd/ops.hpp>

#include <functional>
#include <limits>
#include <vector>

using namespace gradus;

// 1. h_j = tanh(W x_j + U h_{j+1}), from the last token to the first: x (T, B, I), W (H, I), U (H, H).
inline Tensor read_backward(const Tensor& x, const Tensor& W, const Tensor& U) {
  Tensor h = zeros({x.size(1), U.size(0)}, x.dtype());  // (B, H)
  std::vector<Tensor> states;
  for (std::int64_t t = x.size(0) - 1; t >= 0; --t) {
    h = tanh(linear(x[t], W) + linear(h, U));  // (B, H)
    states.push_back(h);
  }
  return flip(stack(states), 0);  // (T, B, H), reversed: the last computed state belongs to the first token
}

// 2. e_j = v_a · tanh(W_a s + U_a h_j): s (B, Q), h (T, B, D), W_a (A, Q), U_a (A, D), v_a (A).
inline Tensor energies(const Tensor& s, const Tensor& h, const Tensor& W_a, const Tensor& U_a,
                       const Tensor& v_a) {
  const Tensor query = linear(s, W_a);  // (B, A)
  const Tensor keys = linear(h, U_a);   // (T, B, A)
  // Without tanh, the query would add the same number to all energies of a sentence, and would not change
  // their softmax.
  return sum(v_a * tanh(query + keys), 2);  // (T, B)
}

// 3. α_j = exp(e_j) / Σ_k exp(e_k) over the real positions, 0 at the pads: e (T, B), lengths (B).
inline Tensor weights(const Tensor& e, const Tensor& lengths) {
  const Tensor positions = unsqueeze(arange(e.size(0)), 1);  // (T, 1)
  const Tensor pads = greater_equal(positions, lengths);     // (T, B)
  // The mask is −∞, not 0: e^−∞ = 0, but e^0 = 1.
  return softmax(masked_fill(e, pads, -std::numeric_limits<double>::infinity()), 0);  // (T, B)
}

// 4. θ ← θ − η ∂L/∂θ for every parameter, in place.
inline void descend(const std::vector<Tensor>& parameters, const std::function<Tensor()>& loss, double rate) {
  for (Tensor theta : parameters) theta.zero_grad();  // backward() accumulates
  loss().backward();
  for (Tensor theta : parameters) {
    const Tensor gradient = theta.grad();
    const auto g = gradient.values<double>();
    const auto values = theta.mutable_values<double>();
    for (std::size_t i = 0; i < g.size(); ++i) values[i] -= rate * g[i];
  }
}
