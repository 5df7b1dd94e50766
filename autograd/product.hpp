#pragma once

#include <gradus/autograd/parallel.hpp>

#include <cstdint>

#include "gemm.hpp"

namespace gradus {

/// The rows and columns of a matrix, or those before an element of it.
struct RowsAndColumns {
  std::int64_t rows, columns;
};

/// What of a matrix comes after so many of its rows and columns.
template <class T>
Rows<T> block(Rows<T> matrix, Layout layout, RowsAndColumns before) {
  const bool plain = layout == Layout::plain;
  const std::int64_t rows = plain ? before.rows : before.columns,
                     columns = plain ? before.columns : before.rows;  // in memory
  return {matrix.data + rows * matrix.stride + columns, matrix.stride};
}

/// The addend of what of C comes after so many of its rows and columns.
template <class T>
Addend<T> block(Addend<T> addend, RowsAndColumns before) {
  return addend.beta == T(0) ? Addend<T>{} : Addend<T>{addend.beta, block(addend.d, Layout::plain, before)};
}

/// C ← A·B + β·D as gemm() is asked for it, and parts of it.
template <class T>
struct Product {
  Layout a_layout, b_layout;
  std::int64_t m, n, k;
  Rows<const T> a, b;
  Addend<T> addend;
  Rows<T> c;

  /// Some rows of C: those of A with B.
  Product rows(std::int64_t begin, std::int64_t end) const {
    Product part = *this;
    part.m = end - begin;
    part.a = block(a, a_layout, {begin, 0});
    part.addend = block(addend, {begin, 0});
    part.c = block(c, Layout::plain, {begin, 0});
    return part;
  }
  /// Some columns of C: A with those of B.
  Product columns(std::int64_t begin, std::int64_t end) const {
    Product part = *this;
    part.n = end - begin;
    part.b = block(b, b_layout, {0, begin});
    part.addend = block(addend, {0, begin});
    part.c = block(c, Layout::plain, {0, begin});
    return part;
  }
  /// Some terms of every sum in C, which are added to those before: columns of A with rows of B.
  Product terms(std::int64_t begin, std::int64_t end) const {
    Product part = *this;
    part.k = end - begin;
    part.a = block(a, a_layout, {0, begin});
    part.b = block(b, b_layout, {begin, 0});
    if (begin > 0) part.addend = {T(1), c};
    return part;
  }
};

/// Weights of at most so many bytes stay in a core's own cache from step to step.
constexpr std::int64_t cached_weight_bytes = 3 << 19;

/// How many threads are worth it to share a product of so many multiply-adds: one for few of them, since
/// 64 · 64 · 64 take some 5 µs. Of a single row they take several times as long, as each reads an element of
/// B.
inline std::int64_t shares_of_product(std::int64_t m, std::int64_t n, std::int64_t k) {
  return m * n * k < (m == 1 ? 1 << 15 : 1 << 18) ? 1 : team::available();
}

}  // namespace gradus
