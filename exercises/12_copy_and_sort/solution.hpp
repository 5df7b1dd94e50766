#pragma once

#include <gradus/autograd/ops.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

using namespace gradus;

using Symbols = std::vector<std::int64_t>;    // a source of L symbols
using Positions = std::vector<std::int64_t>;  // the source position for each target step t = 0 … L − 1

inline Positions copy_positions(const Symbols& source) {
  Positions positions(source.size());
  std::iota(positions.begin(), positions.end(), 0);
  return positions;
}

inline Positions reverse_positions(const Symbols& source) {
  Positions positions = copy_positions(source);
  std::reverse(positions.begin(), positions.end());
  return positions;
}

// Equal symbols keep their order: the sort is stable.
inline Positions sort_positions(const Symbols& source) {
  const auto symbol = [&](std::int64_t j) { return source[static_cast<std::size_t>(j)]; };
  Positions positions = copy_positions(source);
  std::stable_sort(positions.begin(), positions.end(),
                   [&](std::int64_t i, std::int64_t j) { return symbol(i) < symbol(j); });
  return positions;
}

// The fraction of steps for which is_right(t, j) holds. j is the position of the largest weight in step t.
template <class IsRight>
double fraction(const Tensor& weights, std::size_t steps, const IsRight& is_right) {
  const Positions largest = argmax(weights).to_vector<std::int64_t>();  // (L + 1)
  double right = 0;
  for (std::size_t t = 0; t < steps; ++t) right += is_right(t, largest[t]) ? 1 : 0;
  return right / static_cast<double>(steps);
}

// The fraction of the first L steps t whose largest weight is at positions[t]. `weights` is α, (L + 1, L).
inline double on_position(const Tensor& weights, const Positions& positions) {
  return fraction(weights, positions.size(),
                  [&](std::size_t t, std::int64_t j) { return j == positions[t]; });
}

// The fraction of the first L steps t whose largest weight is on a symbol equal to source[positions[t]].
inline double on_symbol(const Tensor& weights, const Positions& positions, const Symbols& source) {
  const auto symbol = [&](std::int64_t j) { return source[static_cast<std::size_t>(j)]; };
  return fraction(weights, positions.size(),
                  [&](std::size_t t, std::int64_t j) { return symbol(j) == symbol(positions[t]); });
}
