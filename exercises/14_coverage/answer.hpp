#pragma once

#include <gradus/autograd/tensor.hpp>

#include <functional>

#include "kit/check.hpp"

/// The answer to exercise 14, for weights α (Ty, B, Tx) and target lengths (B), i64.
struct Coverage {
  std::function<gradus::Tensor(const gradus::Tensor& weights)> coverage;  ///< c, (Ty, B, Tx)
  std::function<gradus::Tensor(const gradus::Tensor& weights, const gradus::Tensor& target_lengths)>
      loss;  ///< a scalar
};

exercise::Exercise coverage_exercise(const Coverage& answer);
