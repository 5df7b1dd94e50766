#pragma once

#include <gradus/autograd/tensor.hpp>

#include <cstdint>
#include <functional>
#include <vector>

#include "kit/check.hpp"

/// The answer to exercise 12. A source has L symbols. Its attention weights α are (L + 1, L); the last row
/// belongs to <eos>.
struct CopyAndSort {
  using Symbols = std::vector<std::int64_t>;
  using Positions = std::vector<std::int64_t>;
  /// The source position that each of the L target steps should attend to.
  std::function<Positions(const Symbols& source)> copy, reverse, sort;
  /// The fraction of the L steps t whose largest weight is at positions[t].
  std::function<double(const gradus::Tensor& weights, const Positions& positions)> on_position;
  /// The fraction of the L steps t whose largest weight is on a symbol equal to the one at positions[t].
  std::function<double(const gradus::Tensor& weights, const Positions& positions, const Symbols& source)>
      on_symbol;
};

exercise::Exercise copy_and_sort_exercise(const CopyAndSort& answer);
