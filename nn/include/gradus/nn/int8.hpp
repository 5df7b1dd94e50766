#pragma once

#include <gradus/autograd/tensor.hpp>

#include <cstdint>
#include <vector>

#pragma GCC visibility push(default)
/// Matrices in int8 with one scale per row.
namespace gradus::nn {

/// W_ij ≈ s_i q_ij for W (N, K), with q_ij in [−127, 127]. This is the affine scheme r = S (q − Z) of Jacob
/// et al. 2018, "Quantization and training of neural networks for efficient integer-arithmetic-only
/// inference", eq. 1, with zero-point Z = 0 and one S per output channel.
struct Int8Matrix {
  std::int64_t rows, columns;       ///< N, K
  std::vector<std::int8_t> values;  ///< q, row-major
  std::vector<float> scales;        ///< s, at least 0
};

/// Quantises with s_i = max_j |W_ij| / 127, rounded to bf16, and q_ij = W_ij / s_i, rounded to nearest. Then
///
///     |W_ij − s_i q_ij| ≤ s_i / 2, up to a rounding of f32
///
/// s_i has 8 significant bits and q_ij has 7, so their product is exact in f32. Hence quantise_rows() of
/// dequantised(quantise_rows(W)) returns the same s and q. A row of zeros has s_i = 0. A row counts as zeros
/// if max_j |W_ij| is below 2⁻¹⁰⁰.
/// @throws Error unless W is an f32 matrix of finite values.
Int8Matrix quantise_rows(const Tensor& W);

/// s_i q_ij, f32 (N, K).
Tensor dequantised(const Int8Matrix& matrix);

}  // namespace gradus::nn
#pragma GCC visibility pop
