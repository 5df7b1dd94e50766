#include "encoders/silence.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace gradus::models {
namespace {

// The powers P_j of one source's annotations, computed from the powers of its frames (see silence.hpp).
std::vector<double> pooled(const std::vector<double>& frames, std::int64_t each) {
  std::vector<double> result;
  const std::int64_t T = std::ssize(frames);
  for (std::int64_t first = 0; first < T; first += each) {
    const std::int64_t end = std::min(first + each, T);
    result.push_back(std::accumulate(frames.begin() + first, frames.begin() + end, 0.0) /
                     static_cast<double>(end - first));
  }
  return result;
}

}  // namespace

Loud loud_first(const Tensor& power, const Tensor& lengths, std::int64_t each, double decibels) {
  const std::int64_t B = power.size(1), J = (power.size(0) + each - 1) / each;
  const std::vector<double> frames = power.to_vector<double>();
  const auto lengths_of = lengths.values<std::int64_t>();
  std::vector<std::int64_t> order(static_cast<std::size_t>(J * B)), loud;
  for (std::int64_t b = 0; b < B; ++b) {
    std::vector<double> of_source;
    for (std::int64_t t = 0; t < lengths_of[b]; ++t) of_source.push_back(frames[t * B + b]);
    const std::vector<double> P = pooled(of_source, each);
    const double threshold = std::pow(10, -decibels / 10) * *std::ranges::max_element(P);
    std::vector<std::int64_t> positions(static_cast<std::size_t>(J));
    std::iota(positions.begin(), positions.end(), 0);
    const auto others = std::stable_partition(positions.begin(), positions.end(), [&](std::int64_t j) {
      return j < std::ssize(P) && !(P[j] < threshold);
    });
    loud.push_back(others - positions.begin());
    for (std::int64_t j = 0; j < J; ++j) order[j * B + b] = positions[j];
  }
  return {.order = tensor(order, {J, B}), .lengths = tensor(loud)};
}

}  // namespace gradus::models
