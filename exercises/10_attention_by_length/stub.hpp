#pragma once

#include <gradus/autograd/ops.hpp>

#include <cmath>
#include <map>

#include "kit/finding.hpp"

using namespace gradus;

using ByLength = std::map<std::int64_t, double>;  // a number for each source length of the batch

// All three: of weights α (Ty, B, Tx) and source_lengths L (B), i64, over the steps t < L[b] of each sentence
// b.

// The mean of −Σ_j α_tj ln α_tj, in nats.
inline ByLength entropy(const Tensor& /*weights*/, const Tensor& /*source_lengths*/) {
  // TODO
  exercise::to_do(
      "Write entropy(weights, source_lengths): the mean entropy of the weights, by source length.");
}

// The mean of max_j α_tj.
inline ByLength sharpness(const Tensor& /*weights*/, const Tensor& /*source_lengths*/) {
  // TODO
  exercise::to_do("Write sharpness(weights, source_lengths): the mean largest weight, by source length.");
}

// The share of steps whose largest weight is at L − 1 − t, counted from 0.
inline ByLength on_target(const Tensor& /*weights*/, const Tensor& /*source_lengths*/) {
  // TODO
  exercise::to_do(
      "Write on_target(weights, source_lengths): how often the largest weight is where reversal reads.");
}
