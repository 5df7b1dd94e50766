#pragma once

#include <gradus/autograd/ops.hpp>

#include <cmath>
#include <map>

#include "kit/finding.hpp"

using namespace gradus;

using ByLength = std::map<std::int64_t, double>;  // source length → measure

// Each function takes weights α (Ty, B, Tx) and source_lengths (B), i64. For each length L, its result is the
// mean over the steps t < L of all sentences of that length.

// The mean of −Σ_j α_tj ln α_tj, in nats.
inline ByLength entropy(const Tensor& /*weights*/, const Tensor& /*source_lengths*/) {
  // TODO
  exercise::to_do(
      "Write entropy(weights, source_lengths): the mean entropy of the weights, by source length.");
}

// The mean of max_j α_tj.
inline ByLength sharpness(const Tensor& /*weights*/, const Tensor& /*source_lengths*/) {
  // TODO
  exercise::to_do(
      "Write sharpness(weights, source_lengths): the mean of the largest weight, by source length.");
}

// The fraction of steps t whose largest weight is at position L − 1 − t.
inline ByLength on_target(const Tensor& /*weights*/, const Tensor& /*source_lengths*/) {
  // TODO
  exercise::to_do(
      "Write on_target(weights, source_lengths): the fraction of steps whose largest weight is at L − 1 − t, "
      "by source length.");
}
