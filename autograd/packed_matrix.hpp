#pragma once

#include <gradus/autograd/tensor.hpp>

#include <cstdint>

#include "gemm.hpp"

namespace gradus {

/// The matrix B (k, n) of many products C ← A·B + β·D, stored once in the order in which they read it. Made
/// for the few rows of A that a step of a recurrence has: for them to bring B into that order is as much
/// effort as the product.
///
/// Where there is a kernel for it B is packed; else a small Bᵀ is stored as B, which the library multiplies
/// faster; and anything else is read where it lies.
template <class T>
class PackedMatrix {
 public:
  /// @param b to outlive this
  PackedMatrix(Layout layout, std::int64_t k, std::int64_t n, Rows<const T> b);

  /// C ← A·B + β·D for A (m, k) and C (m, n), as gemm(). In which order a number's products are added depends
  /// on k alone.
  void multiply(std::int64_t m, Rows<const T> a, Addend<T> addend, Rows<T> c) const;

 private:
  std::int64_t k_, n_;
  Layout layout_;
  Rows<const T> b_;
  bool is_packed_;
  Tensor copy_;  // packed or transposed
};

}  // namespace gradus
