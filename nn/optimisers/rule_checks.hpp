#pragma once

#include <gradus/autograd/scope.hpp>

#include <cmath>
#include <string_view>

/// Checks of optimiser and schedule options. All of them reject NaN.
namespace gradus::nn {

inline void check_not_negative(std::string_view operation, const char* what, double value) {
  if (std::isfinite(value) && value >= 0) return;
  fail(operation, what, " must be finite and at least 0, and is ", value);
}

/// Checks that a decay factor is in [0, 1).
inline void check_decay(std::string_view operation, const char* what, double value) {
  if (value >= 0 && value < 1) return;
  fail(operation, what, " must be in [0, 1), and is ", value);
}

}  // namespace gradus::nn
