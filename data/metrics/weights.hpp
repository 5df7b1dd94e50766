#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>

#include "check.hpp"

namespace gradus::data {

// Throws if a weight is NaN.
template <typename Weight>
void check_weights(std::string_view operation, std::span<const Weight> row) {
  const auto nan = std::ranges::find_if(row, [](Weight weight) { return std::isnan(weight); });
  if (nan == row.end()) return;
  fail(operation, ": the weight at position ", nan - row.begin(),
       " is NaN; check the model for where it arises");
}

// The index of the largest weight, the first on ties. The row must not be empty. Throws if a weight is NaN.
template <typename Weight>
std::int64_t largest_weight(std::string_view operation, std::span<const Weight> row) {
  check_weights(operation, row);
  return std::ranges::max_element(row) - row.begin();
}

}  // namespace gradus::data
