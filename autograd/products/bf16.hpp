#pragma once

#include <gradus/autograd/bf16.hpp>
#include <gradus/autograd/tensor.hpp>

#include <cstdint>
#include <vector>

#include "product.hpp"

/// Products for MixedPrecision: inputs are rounded to bf16, sums are f32.
namespace gradus::bf16 {

/// True if this thread's precision rounds an m×n×k product. Small products stay f32, because rounding them
/// costs more time than it saves.
bool rounds(std::int64_t m, std::int64_t n, std::int64_t k);

/// True if this thread's precision rounds a packed B (k, n). This does not depend on the number of rows of A.
bool rounds_weights(std::int64_t n, std::int64_t k);

/// Computes a product with rounded inputs, split among threads if it is large.
void multiply(const Product<float>& p);

/// A matrix B (k, n), rounded and packed once. Use it for products in which A has few rows.
class Packed {
 public:
  Packed(Layout layout, std::int64_t k, std::int64_t n, Rows<const float> b);

  /// C ← A·B + β·D for A (m, k) and C (m, n).
  void multiply(std::int64_t m, Rows<const float> a, Addend<float> addend, Rows<float> c) const;

 private:
  Layout layout_;
  std::int64_t k_, n_;
  std::vector<Tensor> chunks_;  // packed columns of B; if emulated, all of B as one chunk of floats
  bool emulated_;
};

}  // namespace gradus::bf16
