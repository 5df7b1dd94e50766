#pragma once

#include <gradus/nn/attention.hpp>

#include <cstdint>
#include <functional>
#include <memory>

#include "kit/check.hpp"

/// What exercise 15 asks for.
struct TopK {
  /// Weights, (B, T), of energies e (B, T) and lengths (B) or undefined: a softmax of the k largest alone.
  std::function<gradus::Tensor(const gradus::Tensor& e, const gradus::Tensor& lengths, std::int64_t k)>
      softmax;
  /// Additive attention with these weights, for queries of size Q, values of size D, energies of size A.
  std::function<std::unique_ptr<gradus::nn::Attention>(std::int64_t query_size, std::int64_t value_size,
                                                       std::int64_t energy_size, std::int64_t k)>
      attention;
};

exercise::Exercise top_k_exercise(const TopK& answer);
