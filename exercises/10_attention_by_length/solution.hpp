#pragma once

#include <gradus/autograd/ops.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <vector>

using namespace gradus;

using ByLength = std::map<std::int64_t, double>;  // source length → measure

// For each L: the mean of measure(α_t, t) over the steps t < L of all sentences of length L. α_t is (L).
template <class OfStep>
ByLength mean_over_steps(const Tensor& weights, const Tensor& source_lengths, const OfStep& measure) {
  const auto Tx = static_cast<std::size_t>(weights.size(2));
  const std::vector<double> alpha = weights.to_vector<double>();  // α_tbj at [(t · B + b) · Tx + j]
  const std::vector<std::int64_t> lengths = source_lengths.to_vector<std::int64_t>();

  ByLength total;
  std::map<std::int64_t, std::int64_t> steps;
  for (std::size_t b = 0; b < lengths.size(); ++b) {
    const auto L = static_cast<std::size_t>(lengths[b]);
    for (std::size_t t = 0; t < L; ++t)
      total[lengths[b]] += measure(std::span(alpha).subspan((t * lengths.size() + b) * Tx, L), t);
    steps[lengths[b]] += lengths[b];
  }
  for (auto& [length, value] : total) value /= static_cast<double>(steps[length]);
  return total;
}

// The mean of −Σ_j α_tj ln α_tj, in nats.
inline ByLength entropy(const Tensor& weights, const Tensor& source_lengths) {
  return mean_over_steps(weights, source_lengths, [](std::span<const double> alpha, std::size_t) {
    double H = 0;
    for (const double a : alpha) H -= a > 0 ? a * std::log(a) : 0;  // 0 ln 0 = 0
    return H;
  });
}

// The mean of max_j α_tj.
inline ByLength sharpness(const Tensor& weights, const Tensor& source_lengths) {
  return mean_over_steps(weights, source_lengths, [](std::span<const double> alpha, std::size_t) {
    return *std::max_element(alpha.begin(), alpha.end());
  });
}

// The fraction of steps t whose largest weight is at position L − 1 − t.
inline ByLength on_target(const Tensor& weights, const Tensor& source_lengths) {
  return mean_over_steps(weights, source_lengths, [](std::span<const double> alpha, std::size_t t) {
    const std::size_t wanted = alpha.size() - 1 - t;
    const auto largest = std::max_element(alpha.begin(), alpha.end());  // the first of equal weights
    return largest == alpha.begin() + static_cast<std::ptrdiff_t>(wanted) ? 1.0 : 0.0;
  });
}
