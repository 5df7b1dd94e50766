#pragma once

#include <gradus/autograd/ops.hpp>

using namespace gradus;

// c (Ty, B, Tx): c_t = Σ_{k<t} α_k is the attention that each source position received before step t.
inline Tensor coverage(const Tensor& weights) {
  return cumsum(weights, 0) - weights;  // excludes step t
}

// The mean of Σ_j min(α_tj, c_tj) over the real steps t < target_lengths[b]: a scalar.
inline Tensor coverage_loss(const Tensor& weights, const Tensor& target_lengths) {
  const Tensor steps = sum(minimum(weights, coverage(weights)), 2);   // (Ty, B)
  const Tensor t = unsqueeze(arange(weights.size(0)), 1);             // (Ty, 1)
  const Tensor is_pad = less_equal(target_lengths, t);                // (Ty, B): length ≤ t
  const Tensor real_steps = sum(target_lengths.to(weights.dtype()));  // a scalar
  return sum(masked_fill(steps, is_pad, 0)) / real_steps;
}
