#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "memory/storage.hpp"
#include "products/product.hpp"

/// Products with 128-bit vectors, for WebAssembly. Slices of B are packed into panels, two vectors wide. A
/// tile of C, 4 rows by one panel, stays in registers during the summation. Fused multiply-add is avoided:
/// its results would differ between machines.
namespace gradus::simd128 {

template <class T>
struct VectorOf {
  using Type __attribute__((vector_size(16))) = T;
};
template <class T>
using Vector = typename VectorOf<T>::Type;
template <class T>
constexpr std::ptrdiff_t lanes = 16 / sizeof(T);
template <class T>
constexpr std::ptrdiff_t panel = 2 * lanes<T>;

/// A packed slice of B takes at most 512 KiB in f32.
constexpr std::int64_t most_terms = 256, most_columns = 512;

template <class T>
Vector<T> load(const T* from) {
  Vector<T> x;
  __builtin_memcpy(&x, from, sizeof x);
  return x;
}
template <class T>
void store(Vector<T> x, T* to) {
  __builtin_memcpy(to, &x, sizeof x);
}

/// Packs four columns of a transposed f32 matrix into a panel: lane j of row l is b[j·stride + l].
/// @return the number of rows written, a multiple of 4
inline std::ptrdiff_t pack_four_columns(std::ptrdiff_t k, const float* b, std::ptrdiff_t stride, float* to) {
  std::ptrdiff_t l = 0;
  for (; l + 4 <= k; l += 4) {
    const auto x0 = load(b + l), x1 = load(b + stride + l), x2 = load(b + 2 * stride + l),
               x3 = load(b + 3 * stride + l);
    const auto low01 = __builtin_shufflevector(x0, x1, 0, 4, 1, 5),
               high01 = __builtin_shufflevector(x0, x1, 2, 6, 3, 7),
               low23 = __builtin_shufflevector(x2, x3, 0, 4, 1, 5),
               high23 = __builtin_shufflevector(x2, x3, 2, 6, 3, 7);
    float* const row = to + l * panel<float>;
    store<float>(__builtin_shufflevector(low01, low23, 0, 1, 4, 5), row);
    store<float>(__builtin_shufflevector(low01, low23, 2, 3, 6, 7), row + panel<float>);
    store<float>(__builtin_shufflevector(high01, high23, 0, 1, 4, 5), row + 2 * panel<float>);
    store<float>(__builtin_shufflevector(high01, high23, 2, 3, 6, 7), row + 3 * panel<float>);
  }
  return l;
}

/// Packs columns j to j + `columns` − 1 of B (k, n) into a panel of k rows. Fills the panel's other columns
/// with zeros.
template <class T>
void pack_panel(const Product<T>& p, std::ptrdiff_t j, std::ptrdiff_t columns, T* to) {
  const auto k = static_cast<std::ptrdiff_t>(p.k), stride = static_cast<std::ptrdiff_t>(p.b.stride);
  if (p.b_layout == Layout::plain) {
    for (std::ptrdiff_t l = 0; l < k; ++l) {
      const T* const row = p.b.data + l * stride + j;
      T* const packed = to + l * panel<T>;
      if (columns == panel<T>) {
        std::copy_n(row, panel<T>, packed);  // two vectors
      } else {
        std::fill(std::copy_n(row, columns, packed), packed + panel<T>, T(0));
      }
    }
    return;
  }
  const T* const b = p.b.data + j * stride;
  std::ptrdiff_t first = 0;
  if constexpr (sizeof(T) == 4) {
    if (columns == panel<T>) {
      first = pack_four_columns(k, b, stride, to);
      pack_four_columns(k, b + 4 * stride, stride, to + 4);
    }
  }
  for (std::ptrdiff_t l = first; l < k; ++l) {
    for (std::ptrdiff_t c = 0; c < panel<T>; ++c)
      to[l * panel<T> + c] = c < columns ? b[c * stride + l] : T(0);
  }
}

/// C ← sums + β·D for one tile. Only the first `columns` columns of the tile exist in C.
template <class T, int rows>
void put(const Vector<T> (&sums)[rows][2], std::ptrdiff_t columns, Addend<T> addend, Rows<T> c) {
  for (int r = 0; r < rows; ++r) {
    T* const to = c.data + r * c.stride;
    const T* const d = addend.beta == T(0) ? nullptr : addend.d.data + r * addend.d.stride;
    if (columns == panel<T>) {
      for (int half = 0; half < 2; ++half) {
        Vector<T> x = sums[r][half];
        if (d != nullptr) x += addend.beta * load(d + half * lanes<T>);
        store<T>(x, to + half * lanes<T>);
      }
      continue;
    }
    for (std::ptrdiff_t j = 0; j < columns; ++j)
      to[j] = sums[r][j / lanes<T>][j % lanes<T>] + (d != nullptr ? addend.beta * d[j] : T(0));
  }
}

/// Computes rows i to i + `rows` − 1 of C, panel by panel.
template <class T, int rows, bool a_is_plain>
void multiply_rows(const Product<T>& p, std::int64_t i, const T* packed) {
  const auto k = static_cast<std::ptrdiff_t>(p.k), n = static_cast<std::ptrdiff_t>(p.n),
             stride = static_cast<std::ptrdiff_t>(p.a.stride);
  const T* const a = block(p.a, p.a_layout, i, 0).data;
  for (std::ptrdiff_t j = 0; j < n; j += panel<T>, packed += k * panel<T>) {
    Vector<T> sums[rows][2] = {};
    const T *x = a, *b = packed;
    for (std::ptrdiff_t l = 0; l < k; ++l, x += a_is_plain ? 1 : stride, b += panel<T>) {
      const Vector<T> left = load(b), right = load(b + lanes<T>);
#pragma GCC unroll 4
      for (int r = 0; r < rows; ++r) {
        const T factor = x[a_is_plain ? r * stride : r];
        sums[r][0] += factor * left;
        sums[r][1] += factor * right;
      }
    }
    put<T, rows>(sums, std::min(panel<T>, n - j), block(p.addend, i, j), block(p.c, Layout::plain, i, j));
  }
}

template <class T, bool a_is_plain>
void multiply_packed(const Product<T>& p, const T* packed) {
  std::int64_t i = 0;
  for (; i + 4 <= p.m; i += 4) multiply_rows<T, 4, a_is_plain>(p, i, packed);
  for (; i + 2 <= p.m; i += 2) multiply_rows<T, 2, a_is_plain>(p, i, packed);
  for (; i < p.m; ++i) multiply_rows<T, 1, a_is_plain>(p, i, packed);
}

/// A product in which A has one row. Reads B once, without packing.
template <class T>
void multiply_row(const Product<T>& p) {
  put_addend(p);
  const auto k = static_cast<std::ptrdiff_t>(p.k), n = static_cast<std::ptrdiff_t>(p.n),
             stride = static_cast<std::ptrdiff_t>(p.b.stride);
  const auto step = p.a_layout == Layout::plain ? 1 : static_cast<std::ptrdiff_t>(p.a.stride);
  const T *const a = p.a.data, *const b = p.b.data;
  T* const c = p.c.data;
  if (p.b_layout == Layout::plain) {
    for (std::ptrdiff_t l = 0; l < k; ++l) {
      for (std::ptrdiff_t j = 0; j < n; ++j) c[j] += a[l * step] * b[l * stride + j];
    }
    return;
  }
  for (std::ptrdiff_t j = 0; j < n; ++j) {
    const T* const row = b + j * stride;
    Vector<T> sums{};
    std::ptrdiff_t l = 0;
    if (step == 1) {
      for (; l + lanes<T> <= k; l += lanes<T>) sums += load(a + l) * load(row + l);
    }
    T total = 0;
    for (std::ptrdiff_t lane = 0; lane < lanes<T>; ++lane) total += sums[lane];
    for (; l < k; ++l) total += a[l * step] * row[l];
    c[j] += total;
  }
}

/// C ← A·B + β·D on the calling thread. Needs m, n and k ≥ 1.
template <class T>
void multiply(const Product<T>& whole) {
  if (whole.m == 1) return multiply_row(whole);
  const std::int64_t width = (std::min(whole.n, most_columns) + panel<T> - 1) / panel<T> * panel<T>;
  Tensor scratch = empty({std::min(whole.k, most_terms) * width}, dtype_of<T>);
  T* const packed = raw<T>(scratch);
  for (std::int64_t first = 0; first < whole.k; first += most_terms) {
    const Product<T> slice = whole.terms(first, std::min(first + most_terms, whole.k));
    for (std::int64_t column = 0; column < whole.n; column += most_columns) {
      const Product<T> p = slice.columns(column, std::min(column + most_columns, whole.n));
      const auto n = static_cast<std::ptrdiff_t>(p.n), k = static_cast<std::ptrdiff_t>(p.k);
      for (std::ptrdiff_t j = 0; j < n; j += panel<T>)
        pack_panel(p, j, std::min(panel<T>, n - j), packed + j * k);
      p.a_layout == Layout::plain ? multiply_packed<T, true>(p, packed)
                                  : multiply_packed<T, false>(p, packed);
    }
  }
}

}  // namespace gradus::simd128
