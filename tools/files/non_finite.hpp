#pragma once

#include <gradus/autograd/tensor.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace gradus::tools {

/// The first NaN or infinity of an f32 tensor; empty if there is none.
inline std::optional<float> first_non_finite(const Tensor& tensor) {
  const auto values = tensor.values<float>();
  const auto bad = std::ranges::find_if_not(values, [](float value) { return std::isfinite(value); });
  return bad == values.end() ? std::nullopt : std::optional(*bad);
}

}  // namespace gradus::tools
