#pragma once

#include <cstdint>
#include <type_traits>

namespace gradus {

/// How a matrix operand is stored: as the product uses it (plain), or transposed.
enum class Layout { plain, transposed };

/// A view of a row-major matrix: a pointer to the first element, and the row stride in elements.
template <class T>
struct Rows {
  T* data;
  std::int64_t stride;

  operator Rows<const T>() const
    requires(!std::is_const_v<T>)
  {
    return {data, stride};
  }
};

/// The term β·D that is added to a product. If β = 0, D is not read. A stride of 0 repeats one row, as for a
/// bias.
template <class T>
struct Addend {
  T beta = 0;
  Rows<const T> d{};
};

/// C ← A·B + β·D, c_ij = Σ_l a_il b_lj + β d_ij, for row-major A (m, k), B (k, n), C and D (m, n). If
/// transposed, A is stored as (k, m) and B as (n, k). D either is C or does not overlap C. T is float or
/// double. Large products are split among threads(). @throws Error for a row stride above 2³¹ − 1 if the BLAS
/// computes the product.
template <class T>
void gemm(Layout a_layout, Layout b_layout, std::int64_t m, std::int64_t n, std::int64_t k, Rows<const T> a,
          Rows<const T> b, Addend<T> addend, Rows<T> c);

/// C ← A·B + β·C.
template <class T>
void gemm(Layout a_layout, Layout b_layout, std::int64_t m, std::int64_t n, std::int64_t k, Rows<const T> a,
          Rows<const T> b, T beta, Rows<T> c) {
  gemm<T>(a_layout, b_layout, m, n, k, a, b, Addend<T>{beta, c}, c);
}

/// C ← A·B + β·C for contiguous matrices.
template <class T>
void gemm(Layout a_layout, Layout b_layout, std::int64_t m, std::int64_t n, std::int64_t k, const T* a,
          const T* b, T beta, T* c) {
  gemm<T>(a_layout, b_layout, m, n, k, {a, a_layout == Layout::plain ? k : m},
          {b, b_layout == Layout::plain ? n : k}, beta, {c, n});
}

}  // namespace gradus
