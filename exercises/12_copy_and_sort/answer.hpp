#pragma once

#include <gradus/autograd/tensor.hpp>

#include <cstdint>
#include <functional>
#include <vector>

#include "kit/check.hpp"

/// What exercise 12 asks for. A source has L symbols; weights are α of its decoding, (L + 1, L), the last row
/// that of <eos>.
struct CopyAndSort {
  using Symbols = std::vector<std::int64_t>;
  using Positions = std::vector<std::int64_t>;
  /// Which source position each of the L target steps needs.
  std::function<Positions(const Symbols&source)> copy, reverse, sort;
  /// The share of the L steps whose largest weight is at that position, or at its symbol.
  std::function<double(const gradus::Tensor& weights, const Positions& positions)> on_position;
  std::function<double(const gradus::Tensor& weights, const Positions& positions, const Symbols& source)>
      on_symbol;
};

exercise::Exercise copy_and_sort_exercise(const CopyAndSort& answer);
