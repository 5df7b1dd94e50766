#pragma once

#include <gradus/autograd/ops.hpp>

#include "kit/finding.hpp"

using namespace gradus;

// c (Ty, B, Tx): c_t = Σ_{k<t} α_k is the attention that each source position received before step t.
inline Tensor coverage(const Tensor& /*weights*/) {
  // TODO
  exercise::to_do("Write coverage(weights): the sum of each source position's weights before each step.");
}

// The mean of Σ_j min(α_tj, c_tj) over the real steps t < target_lengths[b]: a scalar.
inline Tensor coverage_loss(const Tensor& /*weights*/, const Tensor& /*target_lengths*/) {
  // TODO
  exercise::to_do(
      "Write coverage_loss(weights, target_lengths): the mean of Σ_j min(α_tj, c_tj) over real steps.");
}
