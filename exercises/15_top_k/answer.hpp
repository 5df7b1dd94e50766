#pragma once

#include <gradus/nn/attention.hpp>

#include <cstdint>
#include <functional>
#include <memory>

#include "kit/check.hpp"

/// The answer to exercise 15: top-k attention.
struct TopK {
  /// Weights (B, T) from energies e (B, T): in each row, the softmax of the k largest among the first
  /// lengths[b] energies, and 0 elsewhere. Lengths: (B), i64, or undefined.
  std::function<gradus::Tensor(const gradus::Tensor& e, const gradus::Tensor& lengths, std::int64_t k)>
      softmax;
  /// Additive attention with these weights.
  std::function<std::unique_ptr<gradus::nn::Attention>(std::int64_t query_size, std::int64_t value_size,
                                                       std::int64_t energy_size, std::int64_t k)>
      attention;
};

exercise::Exercise top_k_exercise(const TopK& answer);
