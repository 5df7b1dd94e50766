#pragma once

#include <gradus/nn/module.hpp>

namespace gradus::nn {

/// A vector for each token: row `id` of `weight` (vocabulary, size), drawn from N(0, deviation²); PyTorch's
/// deviation is 1.
class Embedding : public Module {
 public:
  Embedding(std::int64_t vocabulary, std::int64_t size, double deviation = 1);
  /// ids (…), i64 → (…, size). @throws Error naming the first id outside [0, vocabulary).
  Tensor forward(const Tensor& ids) const;

  const Tensor weight;
};

}  // namespace gradus::nn
