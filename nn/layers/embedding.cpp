#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/nn/embedding.hpp>

#include "module/sizes.hpp"

namespace gradus::nn {
namespace {

// A copy of `rows`, in which the row of the padding id is 0.
Tensor checked_rows(const Tensor& rows, const std::optional<std::int64_t>& padding) {
  if (rows.rank() != 2 || !is_floating(rows.dtype())) {
    fail("Embedding", "the rows are ", name(rows.dtype()), " ", rows.shape(),
         " and must be (vocabulary, size), f32 or f64");
  }
  if (!padding) return rows.clone();
  if (*padding < 0 || *padding >= rows.size(0)) {
    fail("Embedding", "the padding id ", *padding, " is outside [0, ", rows.size(0), "), the vocabulary");
  }
  const Tensor is_padding = equal(arange(rows.size(0)), full({}, static_cast<double>(*padding), Dtype::i64));
  return masked_fill(rows.detach(), unsqueeze(is_padding, -1), 0);
}

Tensor drawn_rows(std::int64_t vocabulary, std::int64_t size, double deviation) {
  if (!(deviation >= 0)) fail("Embedding", "the deviation must not be negative, and is ", deviation);
  return normal(
      {checked_size("Embedding", "a vocabulary", vocabulary), checked_size("Embedding", "a size", size)}, 0,
      deviation, default_generator());
}

}  // namespace

Embedding::Embedding(const Tensor& rows, const EmbeddingOptions& options)
    : weight(add_parameter("weight", options.shared ? rows : checked_rows(rows, options.padding))),
      padding_(options.padding) {
  if (options.frozen) Tensor(weight).set_requires_grad(false);
}

Embedding::Embedding(std::int64_t vocabulary, std::int64_t size, const EmbeddingOptions& options)
    : Embedding(drawn_rows(vocabulary, size, options.deviation), options) {}

Embedding::Embedding(std::int64_t vocabulary, std::int64_t size, double deviation)
    : Embedding(vocabulary, size, EmbeddingOptions{.deviation = deviation}) {}

Tensor Embedding::forward(const Tensor& ids) const {
  const Scope scope = enter();
  Tensor vectors = embedding(weight, ids);
  if (!padding_) return vectors;
  const Tensor is_padding = equal(ids, full({}, static_cast<double>(*padding_), Dtype::i64));
  return where(unsqueeze(is_padding, -1), vectors.detach(), vectors);  // the padding row gets no gradient
}

}  // namespace gradus::nn
