#pragma once

#include <gradus/autograd/parallel.hpp>

#include <cstdint>

#include "gemm.hpp"

namespace gradus {

/// The rows and columns of a matrix, or those before an element of it.
struct RowsAndColumns {
  std::int64_t rows, columns;
};

/// Those of a matrix as it is used, in memory.
inline RowsAndColumns stored(Layout layout, RowsAndColumns used) {
  return layout == Layout::plain ? used : RowsAndColumns{used.columns, used.rows};
}

/// What of a matrix comes after so many of its rows and columns.
template <class T>
Rows<T> block(Rows<T> matrix, Layout layout, RowsAndColumns before) {
  const RowsAndColumns skipped = stored(layout, before);
  return {matrix.data + skipped.rows * matrix.stride + skipped.columns, matrix.stride};
}

/// C ← A·B + β·C as gemm() is asked for it, and parts of it.
template <class T>
struct Product {
  Layout a_layout, b_layout;
  std::int64_t m, n, k;
  Rows<const T> a, b;
  T beta;
  Rows<T> c;

  /// Some rows of C: those of A with B.
  Product rows(std::int64_t begin, std::int64_t end) const {
    Product part = *this;
    part.m = end - begin;
    part.a = block(a, a_layout, {begin, 0});
    part.c = block(c, Layout::plain, {begin, 0});
    return part;
  }
  /// Some columns of C: A with those of B.
  Product columns(std::int64_t begin, std::int64_t end) const {
    Product part = *this;
    part.n = end - begin;
    part.b = block(b, b_layout, {0, begin});
    part.c = block(c, Layout::plain, {0, begin});
    return part;
  }
  /// Some terms of every sum in C: columns of A with rows of B.
  Product terms(std::int64_t begin, std::int64_t end) const {
    Product part = *this;
    part.k = end - begin;
    part.a = block(a, a_layout, {0, begin});
    part.b = block(b, b_layout, {begin, 0});
    return part;
  }
};

/// How many threads are worth it to share a product of so many multiply-adds: one for few of them, since
/// 64 · 64 · 64 take some 5 µs. Of a single row they take several times as long, as each reads an element of
/// B.
inline std::int64_t shares_of_product(std::int64_t m, std::int64_t n, std::int64_t k) {
  return m * n * k < (m == 1 ? 1 << 15 : 1 << 18) ? 1 : team::available();
}

}  // namespace gradus
