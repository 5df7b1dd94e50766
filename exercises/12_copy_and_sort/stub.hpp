#pragma once

#include <gradus/autograd/ops.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

#include "kit/finding.hpp"

using namespace gradus;

using Symbols = std::vector<std::int64_t>;  // a source, L of them
using Positions =
    std::vector<std::int64_t>;  // for each target step t = 0 … L − 1 the source position it needs

inline Positions copy_positions(const Symbols& /*source*/) {
  // TODO
  exercise::to_do(
      "Write copy_positions(source): which source position does step t need to write the same again?");
}

inline Positions reverse_positions(const Symbols& /*source*/) {
  // TODO
  exercise::to_do(
      "Write reverse_positions(source): which source position does step t need to write it backwards?");
}

// Of equal symbols, the earlier position first.
inline Positions sort_positions(const Symbols& /*source*/) {
  // TODO
  exercise::to_do(
      "Write sort_positions(source): where does the source have its smallest symbol, where the next?");
}

// Of weights α (L + 1, L): the share of the first L steps whose largest weight is at positions[t].
inline double on_position(const Tensor& /*weights*/, const Positions& /*positions*/) {
  // TODO
  exercise::to_do("Write on_position(weights, positions): the share of steps that look at their position.");
}

// The same, where every position with the symbol of positions[t] is right.
inline double on_symbol(const Tensor& /*weights*/, const Positions& /*positions*/,
                        const Symbols& /*source*/) {
  // TODO
  exercise::to_do(
      "Write on_symbol(weights, positions, source): the share of steps that look at the right symbol.");
}
