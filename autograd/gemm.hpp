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

/// What a product is added to, β·D; D is not read for β = 0. A stride of 0 repeats a row, as for a bias.
template <class T>
struct Addend {
  T beta = 0;
  Rows<const T> d{};
};

/// C ← A·B + β·D for A (m, k), B (k, n), C (m, n) and D, that is C or lies apart from it: row-major matrices,
/// of which A is stored as (k, m) and B as (n, k) when transposed. T is float or double. The one door to the
/// linear algebra library; a product that is worth it is shared among threads(), by the rows or the columns
/// of C.
template <class T>
void gemm(Layout a_layout, Layout b_layout, std::int64_t m, std::int64_t n, std::int64_t k, Rows<const T> a,
          Rows<const T> b, Addend<T> addend, Rows<T> c);

/// The same with C for D.
template <class T>
void gemm(Layout a_layout, Layout b_layout, std::int64_t m, std::int64_t n, std::int64_t k, Rows<const T> a,
          Rows<const T> b, T beta, Rows<T> c) {
  gemm<T>(a_layout, b_layout, m, n, k, a, b, Addend<T>{beta, c}, c);
}

/// And of matrices without gaps between their rows.
template <class T>
void gemm(Layout a_layout, Layout b_layout, std::int64_t m, std::int64_t n, std::int64_t k, const T* a,
          const T* b, T beta, T* c) {
  gemm<T>(a_layout, b_layout, m, n, k, {a, a_layout == Layout::plain ? k : m},
          {b, b_layout == Layout::plain ? n : k}, beta, {c, n});
}

}  // namespace gradus
