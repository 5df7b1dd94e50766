#pragma once

#include <gradus/autograd/ops.hpp>

#include <limits>

using namespace gradus;

// The softmax of each row of e (B, T) over its first lengths[b] positions, 0 at the others. Returns (B, T).
inline Tensor masked_weights(const Tensor& e, const Tensor& lengths) {
  const Tensor length = unsqueeze(lengths, 1);                   // (B, 1)
  const Tensor pads = greater_equal(arange(e.size(1)), length);  // (B, T)
  const Tensor empty = less(length, ones({}, Dtype::i64));       // (B, 1)
  const Tensor real = masked_fill(e, pads, -std::numeric_limits<double>::infinity());
  const Tensor m = masked_fill(max(real, 1, true), empty, 0);  // (B, 1); 0 avoids −∞ − (−∞) = NaN
  const Tensor p = exp(real - m);                              // (B, T), 0 at pads
  return p / masked_fill(sum(p, 1, true), empty, 1);
}
