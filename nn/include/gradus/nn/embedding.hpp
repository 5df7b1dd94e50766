#pragma once

#include <gradus/nn/layer.hpp>

#include <optional>

#pragma GCC visibility push(default)
namespace gradus::nn {

struct EmbeddingOptions {
  double deviation = 1;  ///< standard deviation of the drawn rows; PyTorch's is 1
  std::optional<std::int64_t> padding =
      std::nullopt;     ///< token id whose row gets no gradient, and is initially 0 unless `shared`
  bool frozen = false;  ///< true: no row gets a gradient
  bool shared = false;  ///< true: use the given rows without a copy, to share them with other modules
};

/// A vector for each token: row `id` of `weight` (vocabulary, size). The rows are given, or drawn from N(0,
/// deviation²).
class Embedding : public Layer {
 public:
  /// @throws Error for a size below 1, a negative deviation, or a padding id outside [0, vocabulary).
  Embedding(std::int64_t vocabulary, std::int64_t size, const EmbeddingOptions& options);
  Embedding(std::int64_t vocabulary, std::int64_t size, double deviation = 1);
  /// The weight is a copy of `rows` (vocabulary, size), f32 or f64, or `rows` itself if `shared`. `deviation`
  /// has no effect.
  /// @throws Error if `rows` is i64. Unless `shared`, also throws if `rows` is not a matrix, or if the
  /// padding id is not the index of a row.
  explicit Embedding(const Tensor& rows, const EmbeddingOptions& options = {});

  /// ids (…), i64 → (…, size). @throws Error naming the first id outside [0, vocabulary).
  Tensor forward(const Tensor& ids) const override;

  const Tensor weight;

 private:
  std::optional<std::int64_t> padding_;
};

}  // namespace gradus::nn
#pragma GCC visibility pop
