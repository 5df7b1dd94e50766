#pragma once

#include <cstdint>
#include <type_traits>

namespace gradus {

/// How a matrix operand is stored: as it is used, or transposed.
enum class Layout { plain, transposed };

/// Rows of `stride` elements, of which a matrix is the first so many.
template <class T>
struct Rows {
  T* data;
  std::int64_t stride;

  operator Rows<const T>() const requires(!std::is_const_v<T>) { return {data, stride}; }
};

/// C ← A·B + β·C for A (m, k), B (k, n), C (m, n): row-major matrices, of which A is stored as (k, m) and B
/// as (n, k) when transposed. T is float or double. The one door to the linear algebra library; a product
/// that is worth it is shared among threads(), by the rows or the columns of C.
template <class T>
void gemm(Layout a_layout, Layout b_layout, std::int64_t m, std::int64_t n, std::int64_t k, Rows<const T> a,
          Rows<const T> b, T beta, Rows<T> c);

/// The same, of matrices without gaps between their rows.
template <class T>
void gemm(Layout a_layout, Layout b_layout, std::int64_t m, std::int64_t n, std::int64_t k, const T* a,
          const T* b, T beta, T* c) {
  gemm<T>(a_layout, b_layout, m, n, k, {a, a_layout == Layout::plain ? k : m},
          {b, b_layout == Layout::plain ? n : k}, beta, {c, n});
}

}  // namespace gradus
