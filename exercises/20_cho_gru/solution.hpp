#pragma once

#include <gradus/autograd/ops.hpp>
#include <gradus/nn/recurrent.hpp>

#include <vector>

using namespace gradus;

// One step of the GRU of Cho et al.: h′ (B, H) from x (B, I) and h (B, H).
inline Tensor cho_step(const nn::RecurrentWeights& p, const Tensor& x, const Tensor& h) {
  const std::int64_t H = h.size(1);
  const std::vector<Tensor> from_x = split(linear(x, p.weight_ih, p.bias_ih), {H, H, H}, 1);  // (B, H) each
  const std::vector<Tensor> W_h = split(p.weight_hh, {H, H, H}, 0);                           // (H, H) each
  const std::vector<Tensor> b_h = split(p.bias_hh, {H, H, H}, 0);                             // (H) each
  const Tensor r = sigmoid(from_x[0] + linear(h, W_h[0], b_h[0]));
  const Tensor z = sigmoid(from_x[1] + linear(h, W_h[1], b_h[1]));
  const Tensor n = tanh(from_x[2] + linear(r * h, W_h[2], b_h[2]));
  return (1.0 - z) * n + z * h;
}

// The states of a padded batch, (T, B, H), from x (T, B, I), lengths (B) and the state before the first step,
// (B, H). A row's state does not change after the row's last step.
inline Tensor cho_states(const nn::RecurrentWeights& p, const Tensor& x, const Tensor& lengths,
                         const Tensor& first) {
  const Tensor steps = unsqueeze(arange(x.size(0)), 1);             // (T, 1)
  const Tensor pads = unsqueeze(greater_equal(steps, lengths), 2);  // (T, B, 1)
  const Tensor real = masked_fill(x, pads, 0);                      // a NaN in a pad would make gradients NaN
  Tensor h = first;
  std::vector<Tensor> states;
  for (std::int64_t t = 0; t < x.size(0); ++t) {
    h = where(pads[t], h, cho_step(p, real[t], h));
    states.push_back(h);
  }
  return stack(states);
}
