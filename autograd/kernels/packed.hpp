#pragma once

#include <algorithm>
#include <cstdint>
#include <new>

#include "../product.hpp"
#include "avx512.hpp"

/// Products C ← A·B + β·D in tiles, of matrices that are packed first where that pays: put, slice by slice,
/// into the order in which the inner loop reads them (K. Goto, R. van de Geijn, "Anatomy of high-performance
/// matrix multiplication", ACM TOMS 34, 2008).
///
/// A tile of 8 rows by 48 columns of C keeps its sums in 24 registers; each term of them is 24 multiply-adds
/// of 3 loads and 8 broadcasts, so that arithmetic bounds it. A panel of 8 rows of A stays in the first cache
/// while the panels of B, 48 columns each, come from the second; the next panel of A and the tile of C are
/// fetched meanwhile.
///
/// In which order a number's products are added depends on k alone, not on the rows beside it or on threads.
#if GRADUS_AVX512_KERNELS

namespace gradus::kernels::packed {

constexpr std::int64_t tile_rows = 8, tile_columns = 3 * lanes;
/// The most of a slice: its terms, its rows of A, its columns of B.
constexpr std::int64_t most_terms = 768, most_rows = 168 * tile_rows, most_columns = 4 * tile_columns;
// Rows that follow each other at a stride are fetched so many ahead: the processor does not foresee them.
constexpr std::int64_t ahead = 32;
/// A plain B of at most so many numbers stays in the second cache, and is read where it lies.
constexpr std::int64_t most_in_place = 1 << 17;

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

// Up to 48 rows of X (…, terms) as a panel: to[48 · l + i] ← x_il.
GRADUS_AVX512 inline void pack_rows(std::int64_t rows, std::int64_t terms, Rows<const float> x, float* to) {
  for (std::int64_t l = 0; l < terms; l += lanes) {
    const LoadFirst load(terms - l);
    const std::int64_t columns = std::min(terms - l, lanes);
    for (std::int64_t i = 0; i < tile_columns; i += lanes) {
      Lanes square[lanes];
#pragma GCC unroll 16
      for (std::int64_t j = 0; j < lanes; ++j) {
        const float* const row = x.data + std::min(i + j, rows - 1) * x.stride + l;
        __builtin_prefetch(row + 4 * lanes);
        square[j] = i + j < rows ? load(row) : Lanes{};
      }
      transpose(square);
      for (std::int64_t j = 0; j < columns; ++j) _mm512_storeu_ps(to + (l + j) * tile_columns + i, square[j]);
    }
  }
}

// Up to 48 columns of X (terms, …): to[48 · l + i] ← x_li.
GRADUS_AVX512 inline void pack_columns(std::int64_t columns, std::int64_t terms, Rows<const float> x,
                                       float* to) {
  const LoadFirst load[] = {LoadFirst(columns), LoadFirst(columns - lanes), LoadFirst(columns - 2 * lanes)};
  for (std::int64_t l = 0; l < terms; ++l) {
#pragma GCC unroll 3
    for (std::int64_t v = 0; v < 3; ++v) {
      const float* const from = x.data + l * x.stride + v * lanes;
      __builtin_prefetch(from + ahead * x.stride);
      _mm512_storeu_ps(to + l * tile_columns + v * lanes, load[v](from));
    }
  }
}

/// A (rows, terms), stored as its transpose, as panels of 8 rows, one after the other: to[8 · l + i] ← a_il.
GRADUS_AVX512 inline void pack_a(std::int64_t rows, std::int64_t terms, Rows<const float> a, float* to) {
  for (std::int64_t i = 0; i < rows; i += 2 * tile_rows) {
    const LoadFirst load(rows - i);
    float *const one = to + i * terms, *const other = one + tile_rows * terms;
    for (std::int64_t l = 0; l < terms; ++l) {
      const float* const row = a.data + l * a.stride + i;
      __builtin_prefetch(row + ahead * a.stride);
      const Lanes x = load(row);
      _mm256_storeu_ps(one + l * tile_rows, __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7));
      if (rows - i <= tile_rows) continue;
      _mm256_storeu_ps(other + l * tile_rows, __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15));
    }
  }
}

/// B (terms, columns) as panels of 48 columns, one after the other; 0 for those that the last one lacks.
GRADUS_AVX512 inline void pack_b(Layout layout, std::int64_t columns, std::int64_t terms, Rows<const float> b,
                                 float* to) {
  for (std::int64_t j = 0; j < columns; j += tile_columns, to += terms * tile_columns) {
    const std::int64_t left = std::min(columns - j, tile_columns);
    const Rows<const float> from = block(b, layout, {0, j});
    if (layout == Layout::plain) {
      pack_columns(left, terms, from, to);
    } else {
      pack_rows(left, terms, from, to);
    }
  }
}

// A panel of A, of which a tile reads a_il: packed, as 8 numbers for each term;
struct PackedPanel {
  const float* data;
  float operator()(std::int64_t i, std::int64_t l) const { return data[l * tile_rows + i]; }
};

// or where it lies. The last row stands in for those that are missing, and what comes of it is not stored.
struct PlainPanel {
  const float* rows[tile_rows];
  PlainPanel(std::int64_t count, Rows<const float> a) {
    for (std::int64_t i = 0; i < tile_rows; ++i) rows[i] = a.data + std::min(i, count - 1) * a.stride;
  }
  float operator()(std::int64_t i, std::int64_t l) const { return rows[i][l]; }
};

// What a tile fetches into the first cache: of each as many numbers as it has terms.
struct Next {
  const float *one, *other;
};

// C ← A·B + β·D for `height` rows of a panel of A and one of B: up to so many rows and 16 · vectors columns.
template <int height, int vectors, class Panel>
GRADUS_AVX512 inline void multiply_tile(std::int64_t rows, std::int64_t columns, std::int64_t terms,
                                        const Panel& panel, Rows<const float> b, Addend<float> addend,
                                        Rows<float> c, Next next) {
  for (std::int64_t i = 0; i < rows; ++i) {
    for (int v = 0; v < vectors; ++v) __builtin_prefetch(c.data + i * c.stride + v * lanes, 1);
  }
  const Panel a = panel;
  const LoadFirst load_last(columns - (vectors - 1) * lanes);
  Lanes sums[height * vectors];
#pragma GCC unroll 24
  for (int q = 0; q < height * vectors; ++q) sums[q] = Lanes{};
  for (std::int64_t l = 0; l < terms; ++l) {
    __builtin_prefetch(next.one + l);
    __builtin_prefetch(next.other + l);
    Lanes from_b[vectors];
#pragma GCC unroll 3
    for (int v = 0; v + 1 < vectors; ++v) from_b[v] = in_register(_mm512_loadu_ps(b.data + v * lanes));
    from_b[vectors - 1] = in_register(load_last(b.data + (vectors - 1) * lanes));
#pragma GCC unroll 8
    for (int i = 0; i < height; ++i) {
      const Lanes from_a = in_register(_mm512_set1_ps(a(i, l)));
#pragma GCC unroll 3
      for (int v = 0; v < vectors; ++v) sums[i * vectors + v] += from_a * from_b[v];
    }
    b.data += b.stride;
  }
#pragma GCC unroll 8
  for (int i = 0; i < height; ++i) {
    if (i >= rows) break;
#pragma GCC unroll 3
    for (int v = 0; v < vectors; ++v) {
      float* const to = c.data + i * c.stride + v * lanes;
      const LoadFirst load(columns - v * lanes);
      Lanes row = sums[i * vectors + v];
      if (addend.beta != 0) row += addend.beta * load(addend.d.data + i * addend.d.stride + v * lanes);
      _mm512_mask_storeu_ps(to, load.mask, row);
    }
  }
}

// A tile of no more rows and columns than there are, rounded up.
template <class Panel>
auto tile_for(std::int64_t rows, std::int64_t columns) {
  if (rows <= tile_rows / 2) {
    return columns > 2 * lanes ? multiply_tile<4, 3, Panel>
           : columns > lanes   ? multiply_tile<4, 2, Panel>
                               : multiply_tile<4, 1, Panel>;
  }
  return columns > 2 * lanes ? multiply_tile<8, 3, Panel>
         : columns > lanes   ? multiply_tile<8, 2, Panel>
                             : multiply_tile<8, 1, Panel>;
}

// A slice of A: its rows as they lie, or packed.
struct PlainRows {
  Rows<const float> a;
  using Panel = PlainPanel;
  PlainPanel panel(std::int64_t i, std::int64_t rows) const {
    return {rows, block(a, Layout::plain, {i, 0})};
  }
  Next quarter(std::int64_t i, std::int64_t rows, std::int64_t q) const {
    const PlainPanel p = panel(i, rows);
    return {p.rows[2 * q], p.rows[2 * q + 1]};
  }
};
struct PackedRows {
  const float* a;
  std::int64_t terms;
  using Panel = PackedPanel;
  PackedPanel panel(std::int64_t i, std::int64_t) const { return {a + i * terms}; }
  Next quarter(std::int64_t i, std::int64_t, std::int64_t q) const {
    const float* const from = a + (i + 2 * q) * terms;
    return {from, from + terms};
  }
};

// The same for all of a slice; b(j) is the panel of B that begins at column j. The first four tiles beside a
// panel of A fetch a quarter each of the next one.
template <class A, class PanelOfB>
GRADUS_AVX512_INLINE void multiply_slice(std::int64_t rows, std::int64_t columns, std::int64_t terms,
                                         const A& a, const PanelOfB& b, Addend<float> addend, Rows<float> c) {
  const auto height = [=](std::int64_t i) { return std::min(rows - i, tile_rows); };
  for (std::int64_t i = 0; i < rows; i += tile_rows) {
    const auto panel = a.panel(i, height(i));
    const std::int64_t next = i + tile_rows < rows ? i + tile_rows : i;
    for (std::int64_t j = 0; j < columns; j += tile_columns) {
      const std::int64_t wide = std::min(columns - j, tile_columns);
      tile_for<typename A::Panel>(height(i), wide)(
          height(i), wide, terms, panel, b(j), block(addend, {i, j}), block(c, Layout::plain, {i, j}),
          a.quarter(next, height(next), std::min<std::int64_t>(j / tile_columns, 3)));
    }
  }
}

// This thread's room for a slice of A and one of B; what of it is not used takes no memory. Not from the
// pool: it stays, and would stand in the way of large tensors there.
class Slices {
 public:
  static Slices& mine() {
    thread_local Slices slices;
    return slices;
  }
  Slices() = default;
  Slices(const Slices&) = delete;
  Slices& operator=(const Slices&) = delete;
  ~Slices() { ::operator delete(room_, alignment); }

  float* a() const { return room_; }
  float* b() const { return room_ + most_terms * most_rows; }

 private:
  static constexpr std::align_val_t alignment{64};
  float* room_ =
      static_cast<float*>(::operator new(most_terms*(most_rows + most_columns) * sizeof(float), alignment));
};

/// C ← A·B + β·D, where D is not read for β = 0.
GRADUS_AVX512 inline void multiply(const Product<float>& p) {
  float *const a = Slices::mine().a(), *const b = Slices::mine().b();
  const bool packs_a = p.a_layout == Layout::transposed;
  const bool packs_b = p.b_layout == Layout::transposed || p.k * p.b.stride > most_in_place;
  for_each_slice(p.k, most_terms, [&](std::int64_t begin, std::int64_t end) GRADUS_AVX512 {
    const Product<float> slice = p.terms(begin, end);
    for (std::int64_t i = 0; i < p.m; i += most_rows) {
      const std::int64_t rows = std::min(p.m - i, most_rows);
      if (packs_a) pack_a(rows, slice.k, block(slice.a, p.a_layout, {i, 0}), a);
      for (std::int64_t j = 0; j < p.n; j += most_columns) {
        const std::int64_t columns = std::min(p.n - j, most_columns);
        const Rows<const float> from = block(slice.b, p.b_layout, {0, j});
        if (packs_b) pack_b(p.b_layout, columns, slice.k, from, b);
        const auto panel = [&](std::int64_t jj) {
          return packs_b ? Rows<const float>{b + jj * slice.k, tile_columns}
                         : Rows<const float>{from.data + jj, from.stride};
        };
        const Addend<float> addend = block(slice.addend, {i, j});
        const Rows<float> c = block(p.c, Layout::plain, {i, j});
        if (packs_a) {
          multiply_slice(rows, columns, slice.k, PackedRows{a, slice.k}, panel, addend, c);
        } else {
          multiply_slice(rows, columns, slice.k, PlainRows{block(slice.a, Layout::plain, {i, 0})}, panel,
                         addend, c);
        }
      }
    }
  });
}

/// What a whole B (k, n) takes when it is packed, in numbers: slices of all its columns.
constexpr std::int64_t packed_size(std::int64_t k, std::int64_t n) {
  return k * ((n + tile_columns - 1) / tile_columns * tile_columns);
}

/// Packs columns of B (k, n), from a multiple of 48 on, to where they belong in the whole.
GRADUS_AVX512 inline void pack_whole(Layout layout, std::int64_t k, std::int64_t n, std::int64_t first,
                                     std::int64_t last, Rows<const float> b, float* to) {
  for_each_slice(k, most_terms, [&](std::int64_t begin, std::int64_t end) GRADUS_AVX512 {
    pack_b(layout, last - first, end - begin, block(b, layout, {begin, first}),
           to + packed_size(begin, n) + first * (end - begin));
  });
}

/// How many tiles C (m, n) has.
constexpr std::int64_t tiles_of(std::int64_t m, std::int64_t n) {
  return ((m + tile_rows - 1) / tile_rows) * ((n + tile_columns - 1) / tile_columns);
}

/// C ← A·B + β·D for A (m, k), a packed B (k, n), and tiles [first, last) of C. They go down its rows, while
/// the panel of B stays in the first cache or the second, and fetch some of the next one.
GRADUS_AVX512 inline void multiply_packed(std::int64_t m, std::int64_t k, std::int64_t n, std::int64_t first,
                                          std::int64_t last, Rows<const float> a, const float* b,
                                          Addend<float> addend, Rows<float> c) {
  const std::int64_t down = (m + tile_rows - 1) / tile_rows;
  for_each_slice(k, most_terms, [&](std::int64_t begin, std::int64_t end) GRADUS_AVX512 {
    const std::int64_t terms = end - begin;
    const Addend<float> before = begin == 0 ? addend : Addend<float>{1, c};
    for (std::int64_t tile = first; tile < last; ++tile) {
      const std::int64_t i = tile % down * tile_rows, j = tile / down * tile_columns;
      const std::int64_t high = std::min(m - i, tile_rows), wide = std::min(n - j, tile_columns);
      const float* const panel = b + packed_size(begin, n) + j * terms;
      const float* const next = j + tile_columns < n ? panel + tile_columns * terms : panel;
      const float* const fetched = next + std::min(2 * i / tile_rows, tile_columns - 2) * terms;
      tile_for<PlainPanel>(high, wide)(high, wide, terms, {high, block(a, Layout::plain, {i, begin})},
                                       {panel, tile_columns}, block(before, {i, j}),
                                       block(c, Layout::plain, {i, j}), {fetched, fetched + terms});
    }
  });
}

}  // namespace gradus::kernels::packed

#endif
