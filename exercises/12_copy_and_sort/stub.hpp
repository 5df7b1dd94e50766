#pragma once

#include <gradus/autograd/ops.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

#include "kit/finding.hpp"

using namespace gradus;

using Symbols = std::vector<std::int64_t>;    // a source of L symbols
using Positions = std::vector<std::int64_t>;  // the source position for each target step t = 0 … L − 1

inline Positions copy_positions(const Symbols& /*source*/) {
  // TODO
  exercise::to_do("Write copy_positions(source): which source position does step t read to copy the source?");
}

inline Positions reverse_positions(const Symbols& /*source*/) {
  // TODO
  exercise::to_do(
      "Write reverse_positions(source): which source position does step t read to reverse the source?");
}

// Equal symbols keep their order.
inline Positions sort_positions(const Symbols& /*source*/) {
  // TODO
  exercise::to_do(
      "Write sort_positions(source): the position of the smallest symbol, of the second smallest, and so "
      "on.");
}

// The fraction of the first L steps t whose largest weight is at positions[t]. `weights` is α, (L + 1, L).
inline double on_position(const Tensor& /*weights*/, const Positions& /*positions*/) {
  // TODO
  exercise::to_do(
      "Write on_position(weights, positions): the fraction of steps whose largest weight is at their "
      "position.");
}

// The fraction of the first L steps t whose largest weight is on a symbol equal to source[positions[t]].
inline double on_symbol(const Tensor& /*weights*/, const Positions& /*positions*/,
                        const Symbols& /*source*/) {
  // TODO
  exercise::to_do(
      "Write on_symbol(weights, positions, source): the fraction of steps whose largest weight is at the "
      "right symbol.");
}
