#pragma once

#include <algorithm>
#include <cstdint>

#include "../product.hpp"
#include "avx512.hpp"

/// Products of a few rows with a matrix of weights, W as it lies in memory:
///
///     C ← X·Wᵀ + β·D,  c_ij ← Σ_l x_il w_jl + β d_ij        X (m, k), W (n, k), C (m, n)
///
/// A library for large products first packs both into the order in which its inner loop reads them. That is
/// one copy of W for all rows of X: little for a thousand of them, a fifth of the time and more for 64. As
/// dot products both are read along k, the order in which they are stored. A tile of 4 rows of X by 6 of W
/// keeps its sums in 24 registers, 16 partial sums in each, and makes 24 multiply-adds of 10 loads: these
/// bound it, and below some ten rows of X the reading of W. Tiles go down the rows of X, while the six rows
/// of W stay in the first cache; X is to stay in the second. A single row of X has tiles with 24 rows of W.
///
/// In which order a number's products are added depends on k alone, not on the rows beside it or on threads.
#if GRADUS_AVX512_KERNELS

namespace gradus::kernels::unpacked {

constexpr int sums_of_tile = 24;  // of 4 rows by 6, or 1 by 24
// Of so many terms are what a tile reads of W and X: together less than the first cache.
constexpr std::int64_t most_terms = 1024;

// Adds the products at l, l + 1, … of all rows to their sums.
template <int tile_rows, class Load>
GRADUS_AVX512_INLINE void add_products(const float* const* x, const float* const* w, std::int64_t l,
                                       const Load& load, Lanes* sums) {
  constexpr int tile_columns = sums_of_tile / tile_rows;
  if constexpr (tile_rows == 1) {
    const Lanes from_x = in_register(load(x[0] + l));
#pragma GCC unroll 24
    for (int j = 0; j < tile_columns; ++j) sums[j] += from_x * load(w[j] + l);
    return;
  }
  Lanes from_w[tile_columns];
#pragma GCC unroll 6
  for (int j = 0; j < tile_columns; ++j) from_w[j] = in_register(load(w[j] + l));
#pragma GCC unroll 4
  for (int i = 0; i < tile_rows; ++i) {
    const Lanes from_x = load(x[i] + l);
#pragma GCC unroll 6
    for (int j = 0; j < tile_columns; ++j) sums[i * tile_columns + j] += from_x * from_w[j];
  }
}

// Sums of two neighbours in each quarter of a and of b: (a0 + a1, a2 + a3, b0 + b1, b2 + b3, a4 + a5, …).
GRADUS_AVX512_INLINE Lanes add_lanes(Lanes a, Lanes b) {
  return __builtin_shufflevector(a, b, 0, 2, 16, 18, 4, 6, 20, 22, 8, 10, 24, 26, 12, 14, 28, 30) +
         __builtin_shufflevector(a, b, 1, 3, 17, 19, 5, 7, 21, 23, 9, 11, 25, 27, 13, 15, 29, 31);
}

// Sums of two neighbouring quarters: both of a, then both of b.
GRADUS_AVX512_INLINE Lanes add_quarters(Lanes a, Lanes b) {
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27) +
         __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
}

// totals[q] ← the lanes of sums[q], added up; q < 24. Each step adds neighbours and makes one register of
// two, so that after four a register has the totals of 16 in their order.
GRADUS_AVX512_INLINE void add_up(Lanes* sums, float* totals) {
#pragma GCC unroll 12
  for (int q = 0; q < 12; ++q) sums[q] = add_lanes(sums[2 * q], sums[2 * q + 1]);
#pragma GCC unroll 6
  for (int q = 0; q < 6; ++q) sums[q] = add_lanes(sums[2 * q], sums[2 * q + 1]);
#pragma GCC unroll 3
  for (int q = 0; q < 3; ++q) sums[q] = add_quarters(sums[2 * q], sums[2 * q + 1]);
  _mm512_store_ps(totals, add_quarters(sums[0], sums[1]));
  _mm512_store_ps(totals + lanes, add_quarters(sums[2], sums[2]));
}

// Up to 4 rows of X with up to 6 of W, or 1 with up to 24. The last one stands in for those that are missing,
// and what comes of it is not stored. Meanwhile the row at `next` is fetched.
template <int tile_rows>
GRADUS_AVX512_INLINE void multiply_tile(std::int64_t rows, std::int64_t columns, std::int64_t k,
                                        Rows<const float> x, Rows<const float> w, Addend<float> addend,
                                        Rows<float> c, const float* next) {
  constexpr int tile_columns = sums_of_tile / tile_rows;
  const float *x_rows[tile_rows], *w_rows[tile_columns];
  for (int i = 0; i < tile_rows; ++i) x_rows[i] = x.data + std::min<std::int64_t>(i, rows - 1) * x.stride;
  for (int j = 0; j < tile_columns; ++j) {
    w_rows[j] = w.data + std::min<std::int64_t>(j, columns - 1) * w.stride;
  }

  Lanes sums[sums_of_tile];
#pragma GCC unroll 24
  for (int q = 0; q < sums_of_tile; ++q) sums[q] = Lanes{};
  std::int64_t l = 0;
  for (; l + lanes <= k; l += lanes) {
    __builtin_prefetch(next + l, 0, 2);
    add_products<tile_rows>(x_rows, w_rows, l, LoadAll(), sums);
  }
  if (l < k) add_products<tile_rows>(x_rows, w_rows, l, LoadFirst(k - l), sums);

  alignas(64) float totals[3 * lanes];  // of which a whole register can be loaded from any row's first one on
  add_up(sums, totals);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; j += lanes) {
      const LoadFirst load(columns - j);
      Lanes row = _mm512_loadu_ps(totals + i * tile_columns + j);
      if (addend.beta != 0) row += addend.beta * load(addend.d.data + i * addend.d.stride + j);
      _mm512_mask_storeu_ps(c.data + i * c.stride + j, load.mask, row);
    }
  }
}

template <int tile_rows>
GRADUS_AVX512_INLINE void multiply_slice(const Product<float>& slice) {
  constexpr int tile_columns = sums_of_tile / tile_rows;
  const Rows<const float> x = slice.a, w = slice.b;
  for (std::int64_t j = 0; j < slice.n; j += tile_columns) {
    const std::int64_t columns = std::min<std::int64_t>(tile_columns, slice.n - j);
    for (std::int64_t i = 0; i < slice.m; i += tile_rows) {
      const std::int64_t rows = std::min<std::int64_t>(tile_rows, slice.m - i);
      // Each of the first tiles fetches one of the next rows of W.
      const std::int64_t next = j + tile_columns + std::min<std::int64_t>(i / tile_rows, tile_columns - 1);
      multiply_tile<tile_rows>(rows, columns, slice.k, {x.data + i * x.stride, x.stride},
                               {w.data + j * w.stride, w.stride}, block(slice.addend, {i, j}),
                               {slice.c.data + i * slice.c.stride + j, slice.c.stride},
                               w.data + std::min(next, slice.n - 1) * w.stride);
    }
  }
}

/// C ← X·Wᵀ + β·D for a plain X and a transposed W; D is not read for β = 0.
GRADUS_AVX512 inline void multiply(const Product<float>& p) {
  for_each_slice(p.k, most_terms, [&](std::int64_t begin, std::int64_t end) GRADUS_AVX512 {
    const Product<float> slice = p.terms(begin, end);
    p.m == 1 ? multiply_slice<1>(slice) : multiply_slice<4>(slice);
  });
}

}  // namespace gradus::kernels::unpacked

#endif
