#include <gradus/autograd/bf16.hpp>
#include <gradus/autograd/checks.hpp>
#include <gradus/nn/int8.hpp>

#include <algorithm>
#include <cmath>

namespace gradus::nn {
Int8Matrix quantise_rows(const Tensor& W) {
  if (W.rank() != 2 || W.dtype() != Dtype::f32) {
    fail("quantise_rows", "the matrix is ", name(W.dtype()), " ", W.shape(), " and must be f32 (N, K)");
  }
  const std::int64_t N = W.size(0), K = W.size(1);
  Int8Matrix q{N, K, std::vector<std::int8_t>(static_cast<std::size_t>(N * K)),
               std::vector<float>(static_cast<std::size_t>(N))};
  const auto values = W.values<float>();
  for (std::int64_t i = 0; i < N; ++i) {
    const auto row = values.subspan(static_cast<std::size_t>(i * K), static_cast<std::size_t>(K));
    float largest = 0;
    for (const float w : row) {
      if (!std::isfinite(w)) fail("quantise_rows", "row ", i, " has the value ", w, "; use finite weights");
      largest = std::max(largest, std::fabs(w));
    }
    if (largest < 0x1p-100F) continue;  // counts as a row of zeros: products with its scale could be denormal
    const float scale = bf16::to_float(bf16::rounded(largest / 127));
    q.scales[static_cast<std::size_t>(i)] = scale;
    std::ranges::transform(row, q.values.begin() + i * K,
                           [scale](float w) { return static_cast<std::int8_t>(std::lrintf(w / scale)); });
  }
  return q;
}

Tensor dequantised(const Int8Matrix& matrix) {
  Tensor W = empty({matrix.rows, matrix.columns});
  const auto values = W.mutable_values<float>("dequantised");
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] =
        matrix.scales[i / static_cast<std::size_t>(matrix.columns)] * static_cast<float>(matrix.values[i]);
  }
  return W;
}

}  // namespace gradus::nn
