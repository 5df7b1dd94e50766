#pragma once

#include <gradus/autograd/tensor.hpp>

#include <cstdint>
#include <memory>

#include "bf16.hpp"
#include "gemm.hpp"

namespace gradus {

/// A matrix B (k, n) for many products C ← A·B + β·D. A has few rows in these products, but usually at least
/// fewest_rows. A transposed B is copied into plain order once: with few rows, a library takes as long to
/// pack a transposed B as to compute the product. A plain B is read in place. If bf16::rounds_weights() is
/// true, B is instead stored as a bf16::Packed, whether it is plain or transposed.
template <class T>
class PackedMatrix {
 public:
  /// The fewest rows of A for which the copy pays. With fewer rows, it is faster to read the transposed B in
  /// place. Each thread computes some columns of C, and reads the same columns of B. The transposed B stores
  /// these columns as rows, which are contiguous. In the plain copy, they are a short piece of every row.
  static constexpr std::int64_t fewest_rows = 8;

  /// @param b must outlive the PackedMatrix
  PackedMatrix(Layout layout, std::int64_t k, std::int64_t n, Rows<const T> b);

  /// C ← A·B + β·D for A (m, k) and C (m, n).
  void multiply(std::int64_t m, Rows<const T> a, Addend<T> addend, Rows<T> c) const;

 private:
  std::int64_t k_, n_;
  Rows<const T> b_;
  Tensor copy_;  // (k, n); undefined for a plain B
  // Null if bf16::rounds_weights() is false or T is double. If not null, it replaces b_ and copy_.
  std::shared_ptr<const bf16::Packed> rounded_;
};

}  // namespace gradus
