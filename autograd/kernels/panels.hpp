#pragma once

#include <algorithm>
#include <cstdint>

#include "../gemm.hpp"
#include "avx512.hpp"

/// Panels: 8 rows of A (…, terms) or 48 columns of B (terms, …), put into the order in which the inner loop
/// of a product reads them. What is put there is a matrix or a sum of two, and 0 beyond their ends; `step` is
/// how far apart the panels begin in it. Reading bounds it, so panels are made side by side of what lies
/// together.
#if GRADUS_AVX512_KERNELS

namespace gradus::kernels {

/// Of a tile of C, and so the rows of a panel of A and the columns of one of B.
constexpr std::int64_t tile_rows = 8, tile_columns = 3 * lanes;

/// A matrix as it lies in memory, with so many rows and columns; 0 or fewer for none.
struct Stored {
  Rows<const float> x;
  std::int64_t rows, columns;

  /// Of a sum: those that both its matrices have.
  std::int64_t rows_of_all() const { return rows; }
  std::int64_t columns_of_all() const { return columns; }
  /// `width` numbers of a row: where they `exist` all, or else those that do, and 0 for the others.
  template <bool exist, std::int64_t width = lanes>
  GRADUS_AVX512_INLINE Lanes load(std::int64_t row, std::int64_t column) const {
    if (!exist && (row >= rows || column >= columns)) return Lanes{};
    const float* const from = x.data + row * x.stride + column;
    if constexpr (exist && width >= lanes) return LoadAll()(from);
    return LoadFirst(exist ? width : std::min(columns - column, width))(from);
  }
  GRADUS_AVX512_INLINE void fetch(std::int64_t row, std::int64_t column) const {
    __builtin_prefetch(x.data + row * x.stride + column);
  }
};

/// x + sign · y
struct StoredSum {
  Stored x, y;
  float sign;

  std::int64_t rows_of_all() const { return std::min(x.rows, y.rows); }
  std::int64_t columns_of_all() const { return std::min(x.columns, y.columns); }
  template <bool exist, std::int64_t width = lanes>
  GRADUS_AVX512_INLINE Lanes load(std::int64_t row, std::int64_t column) const {
    return x.load<exist, width>(row, column) + sign * y.load<exist, width>(row, column);
  }
  GRADUS_AVX512_INLINE void fetch(std::int64_t row, std::int64_t column) const {
    x.fetch(row, column);
    y.fetch(row, column);
  }
};

// Rows that follow each other at a stride are fetched so many ahead: the processor does not foresee them.
constexpr std::int64_t ahead = 16;
// So many panels are made side by side: some of the first cache's lines for each of them.
constexpr std::int64_t most_side_by_side = 8;

template <std::int64_t width, bool exist, class Source>
GRADUS_AVX512_INLINE void pack_some_columns(std::int64_t first, std::int64_t last, std::int64_t step,
                                            std::int64_t begin, std::int64_t end, std::int64_t terms,
                                            const Source& x, float* to) {
  for (std::int64_t l = begin; l < end; ++l) {
    for (std::int64_t q = first; q < last; ++q) {
      float* const row = to + (q * terms + l) * width;
#pragma GCC unroll 3
      for (std::int64_t v = 0; v < width; v += lanes) {
        x.fetch(l + ahead, q * step + v);
        const Lanes some = x.template load<exist, std::min(width, lanes)>(l, q * step + v);
        if constexpr (width < lanes) {
          _mm256_storeu_ps(row, __builtin_shufflevector(some, some, 0, 1, 2, 3, 4, 5, 6, 7));
        } else {
          _mm512_storeu_ps(row + v, some);
        }
      }
    }
  }
}

/// Panels of `width` columns of X (terms, …), one after the other: to[width · (terms · q + l) + j] ←
/// x_{l, step · q + j}
template <std::int64_t width, class Source>
GRADUS_AVX512 inline void pack_columns(std::int64_t panels, std::int64_t step, std::int64_t terms,
                                       const Source& x, float* to) {
  const std::int64_t exist = std::clamp<std::int64_t>((x.columns_of_all() - width + step) / step, 0, panels),
                     rows = std::clamp<std::int64_t>(x.rows_of_all(), 0, terms);
  for (std::int64_t q = 0; q < exist; q += most_side_by_side) {
    const std::int64_t last = std::min(q + most_side_by_side, exist);
    pack_some_columns<width, true>(q, last, step, 0, rows, terms, x, to);
  }
  pack_some_columns<width, false>(0, exist, step, rows, terms, terms, x, to);
  pack_some_columns<width, false>(exist, panels, step, 0, terms, terms, x, to);
}

// The rows of a square become its columns: four times rows i and i + 8 are interleaved, to rows 2i and 2i
// + 1.
GRADUS_AVX512_INLINE void transpose(Lanes* square) {
#pragma GCC unroll 4
  for (int time = 0; time < 4; ++time) {
    Lanes next[lanes];
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) {
      const Lanes x = square[i], y = square[i + 8];
      next[2 * i] = __builtin_shufflevector(x, y, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
      next[2 * i + 1] =
          __builtin_shufflevector(x, y, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    }
    std::copy_n(next, lanes, square);
  }
}

template <bool exist, class Source>
GRADUS_AVX512_INLINE void pack_squares(std::int64_t row, std::int64_t l, std::int64_t terms, const Source& x,
                                       float* to) {
  for (std::int64_t i = 0; i < tile_columns; i += lanes) {
    Lanes square[lanes];
#pragma GCC unroll 16
    for (std::int64_t j = 0; j < lanes; ++j) {
      x.fetch(row + i + j, l + 4 * lanes);
      square[j] = x.template load<exist>(row + i + j, l);
    }
    transpose(square);
    for (std::int64_t j = 0; j < terms; ++j) _mm512_storeu_ps(to + j * tile_columns + i, square[j]);
  }
}

/// Panels of 48 rows of X (…, terms), one after the other: to[48 · (terms · q + l) + j] ← x_{step · q + j, l}
template <class Source>
GRADUS_AVX512 inline void pack_rows(std::int64_t panels, std::int64_t step, std::int64_t terms,
                                    const Source& x, float* to) {
  for (std::int64_t q = 0; q < panels; ++q) {
    const bool all_rows = q * step + tile_columns <= x.rows_of_all();
    for (std::int64_t l = 0; l < terms; l += lanes) {
      float* const at = to + (q * terms + l) * tile_columns;
      if (all_rows && l + lanes <= x.columns_of_all() && l + lanes <= terms) {
        pack_squares<true>(q * step, l, lanes, x, at);
      } else {
        pack_squares<false>(q * step, l, std::min(terms - l, lanes), x, at);
      }
    }
  }
}

/// Panels of 8 rows of X (…, terms) as they are: to[terms · (8 · q + i) + l] ← x_{step · q + i, l}
template <class Source>
GRADUS_AVX512 inline void copy_rows(std::int64_t panels, std::int64_t step, std::int64_t terms,
                                    const Source& x, float* to) {
  for (std::int64_t q = 0; q < panels; ++q) {
    for (std::int64_t row = q * step; row < q * step + tile_rows; ++row, to += terms) {
      std::int64_t l = 0;
      if (row < x.rows_of_all()) {
        for (; l + lanes <= std::min(terms, x.columns_of_all()); l += lanes) {
          x.fetch(row + 1, l);
          _mm512_storeu_ps(to + l, x.template load<true>(row, l));
        }
      }
      for (; l < terms; l += lanes) {
        _mm512_mask_storeu_ps(to + l, LoadFirst(terms - l).mask, x.template load<false>(row, l));
      }
    }
  }
}

}  // namespace gradus::kernels

#endif
