#pragma once

#include <gradus/autograd/parallel.hpp>

#include <algorithm>
#include <cstdint>

#include "gemm.hpp"

namespace gradus {

/// The submatrix that starts at (row, column), of a matrix stored in `layout`.
template <class T>
Rows<T> block(Rows<T> matrix, Layout layout, std::int64_t row, std::int64_t column) {
  if (layout == Layout::transposed) std::swap(row, column);
  return {matrix.data + row * matrix.stride + column, matrix.stride};
}

/// The addend for the submatrix of C that starts at (row, column).
template <class T>
Addend<T> block(Addend<T> addend, std::int64_t row, std::int64_t column) {
  if (addend.beta != T(0)) addend.d = block(addend.d, Layout::plain, row, column);
  return addend;
}

/// The arguments of gemm(): C ← A·B + β·D. rows(), columns() and terms() return parts of this product.
template <class T>
struct Product {
  Layout a_layout, b_layout;
  std::int64_t m, n, k;
  Rows<const T> a, b;
  Addend<T> addend;
  Rows<T> c;

  /// The product restricted to rows [begin, end) of C.
  Product rows(std::int64_t begin, std::int64_t end) const {
    Product part = *this;
    part.m = end - begin;
    part.a = block(a, a_layout, begin, 0);
    part.addend = block(addend, begin, 0);
    part.c = block(c, Layout::plain, begin, 0);
    return part;
  }
  /// The product restricted to columns [begin, end) of C.
  Product columns(std::int64_t begin, std::int64_t end) const {
    Product part = *this;
    part.n = end - begin;
    part.b = block(b, b_layout, 0, begin);
    part.addend = block(addend, 0, begin);
    part.c = block(c, Layout::plain, 0, begin);
    return part;
  }
  /// The product restricted to terms [begin, end) of every sum. If begin > 0, the result is added to C.
  Product terms(std::int64_t begin, std::int64_t end) const {
    Product part = *this;
    part.k = end - begin;
    part.a = block(a, a_layout, 0, begin);
    part.b = block(b, b_layout, begin, 0);
    if (begin > 0) part.addend = {T(1), c};
    return part;
  }
};

/// C ← β·D.
template <class T>
void put_addend(const Product<T>& p) {
  const T beta = p.addend.beta;  // no structured bindings, because clang 14 does not let lambdas capture them
  for (std::int64_t row = 0; row < p.m; ++row) {
    T* const to = p.c.data + row * p.c.stride;
    if (beta == T(0)) {
      std::fill_n(to, p.n, T(0));
    } else {
      const T* const from = p.addend.d.data + row * p.addend.d.stride;
      std::transform(from, from + p.n, to, [beta](T value) { return beta * value; });
    }
  }
}

/// The libraries compute C ← A·B + β·C, without a separate D. So if β ≠ 0 and D is not C, writes β·D to C.
/// @return the β to pass to the library: 1 if β·D was written, otherwise β
template <class T>
T addend_in_c(const Product<T>& p) {
  if (p.addend.beta == T(0) || p.addend.d.data == p.c.data) return p.addend.beta;
  put_addend(p);
  return T(1);
}

/// Calls work(part) for parts of p. Halves the longest side until no side exceeds `most`.
template <class T, class Work>
void for_parts_within(std::int64_t most, const Product<T>& p, const Work& work) {
  const std::int64_t longest = std::max({p.m, p.n, p.k});
  if (longest <= most) return work(p);
  const auto halve = [&](auto part) {
    for_parts_within(most, part(0, longest / 2), work);
    for_parts_within(most, part(longest / 2, longest), work);
  };
  if (longest == p.m) return halve([&](auto begin, auto end) { return p.rows(begin, end); });
  if (longest == p.n) return halve([&](auto begin, auto end) { return p.columns(begin, end); });
  halve([&](auto begin, auto end) { return p.terms(begin, end); });
}

/// A weight of at most this size stays in a core's own cache from one time step to the next.
constexpr std::int64_t cached_weight_bytes = 3 << 19;

/// The number of threads for an m×n×k product; 1 if the product is small. A 64×64×64 product takes about 5
/// µs. A product with one row takes several times as long per multiply-add as one with many rows, because
/// each multiply-add reads an element of B.
inline std::int64_t threads_for_product(std::int64_t m, std::int64_t n, std::int64_t k) {
  return m * n * k < (m == 1 ? 1 << 15 : 1 << 18) ? 1 : team::available();
}

/// Calls work(part) for parts of the product p, at most one per thread, or work(p) if p is small. A part
/// starts at a multiple of 16 columns or rows, because the inner loops of the libraries compute 16 at a time.
template <class T, class Work>
void split_among_threads(const Product<T>& p, const Work& work) {
  constexpr std::int64_t step = 16;
  const bool by_columns = p.n >= p.m;
  const std::int64_t extent = by_columns ? p.n : p.m;
  const std::int64_t parts = std::min(threads_for_product(p.m, p.n, p.k), extent / step);
  if (parts <= 1) return work(p);
  const auto cut = [=](std::int64_t part) {  // the multiple of `step` nearest to an equal split
    return part == parts ? extent : (extent * part / parts + step / 2) / step * step;
  };
  parallel_tasks(parts, [&](std::int64_t part) {
    work(by_columns ? p.columns(cut(part), cut(part + 1)) : p.rows(cut(part), cut(part + 1)));
  });
}

/// C ← A·B + β·D in T's own precision, without MixedPrecision. Large products are split among threads.
template <class T>
void multiply(const Product<T>& p);

}  // namespace gradus
