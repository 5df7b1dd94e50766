#pragma once

#include <algorithm>
#include <cstdint>
#include <new>

#include "../product.hpp"
#include "avx512.hpp"

/// Products C ← A·B + β·C of matrices that are first packed, slice by slice, into the order in which the
/// inner loop reads them (K. Goto, R. van de Geijn, "Anatomy of high-performance matrix multiplication", ACM
/// TOMS 34, 2008).
///
/// A tile of 8 rows by 48 columns of C keeps its sums in 24 registers; each term of them is 24 multiply-adds
/// of 3 loads and 8 broadcasts, so that arithmetic bounds it. A slice of some 400 terms of A waits in the
/// second cache or the third, one of B in the second. The packing is an effort per element of A and B:
/// little beside the products, if there are a few dozen rows and columns.
///
/// In which order a number's products are added depends on k alone, not on the rows beside it or on threads.
#if GRADUS_AVX512_KERNELS

namespace gradus::kernels::packed {

constexpr int tile_rows = 8, tile_columns = 3 * lanes;
/// The most of a slice: its terms, its rows of A, its columns of B.
constexpr std::int64_t most_terms = 384, most_rows = 640, most_columns = 10 * tile_columns;

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

// Up to `width` rows of X (…, terms) as a panel: to[l · width + i] ← x_il.
template <int width>
GRADUS_AVX512_INLINE void pack_rows(std::int64_t rows, std::int64_t terms, Rows<const float> x, float* to) {
  for (std::int64_t l = 0; l < terms; l += lanes) {
    const LoadFirst load(terms - l);
    const std::int64_t columns = std::min(terms - l, lanes);
    for (std::int64_t i = 0; i < width; i += lanes) {
      Lanes square[lanes];
#pragma GCC unroll 16
      for (std::int64_t j = 0; j < lanes; ++j) {
        square[j] = i + j < rows ? load(x.data + (i + j) * x.stride + l) : Lanes{};
      }
      transpose(square);
      for (std::int64_t j = 0; j < columns; ++j) {
        _mm512_mask_storeu_ps(to + (l + j) * width + i, first_lanes(width - i), square[j]);
      }
    }
  }
}

// Up to `width` columns of X (terms, …): to[l · width + i] ← x_li.
template <int width>
GRADUS_AVX512_INLINE void pack_columns(std::int64_t columns, std::int64_t terms, Rows<const float> x,
                                       float* to) {
  for (std::int64_t i = 0; i < width; i += lanes) {
    const LoadFirst load(std::max<std::int64_t>(columns - i, 0));
    for (std::int64_t l = 0; l < terms; ++l) {
      _mm512_mask_storeu_ps(to + l * width + i, first_lanes(width - i), load(x.data + l * x.stride + i));
    }
  }
}

// Panels of `width` rows or columns of X, one after the other; 0 for those that the last one lacks.
template <int width>
GRADUS_AVX512_INLINE void pack(bool rows, std::int64_t count, std::int64_t terms, Rows<const float> x,
                               float* to) {
  for (std::int64_t i = 0; i < count; i += width, to += terms * width) {
    const std::int64_t left = std::min<std::int64_t>(count - i, width);
    if (rows) {
      pack_rows<width>(left, terms, {x.data + i * x.stride, x.stride}, to);
    } else {
      pack_columns<width>(left, terms, {x.data + i, x.stride}, to);
    }
  }
}

// C ← A·B + β·C for panels of A and B, and up to 8 rows and 16 · vectors columns of C.
template <int vectors>
GRADUS_AVX512 inline void multiply_tile(std::int64_t rows, std::int64_t columns, std::int64_t terms,
                                        const float* a, const float* b, float beta, Rows<float> c) {
  Lanes sums[tile_rows * vectors];
#pragma GCC unroll 24
  for (int q = 0; q < tile_rows * vectors; ++q) sums[q] = Lanes{};
  for (std::int64_t l = 0; l < terms; ++l, a += tile_rows, b += tile_columns) {
    Lanes from_b[vectors];
#pragma GCC unroll 3
    for (int v = 0; v < vectors; ++v) from_b[v] = in_register(_mm512_loadu_ps(b + v * lanes));
#pragma GCC unroll 8
    for (int i = 0; i < tile_rows; ++i) {
      const Lanes from_a = in_register(_mm512_set1_ps(a[i]));
#pragma GCC unroll 3
      for (int v = 0; v < vectors; ++v) sums[i * vectors + v] += from_a * from_b[v];
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < tile_rows; ++i) {
    if (i >= rows) break;
#pragma GCC unroll 3
    for (int v = 0; v < vectors; ++v) {
      float* const to = c.data + i * c.stride + v * lanes;
      const LoadFirst load(columns - v * lanes);
      Lanes row = sums[i * vectors + v];
      if (beta != 0) row += beta * load(to);
      _mm512_mask_storeu_ps(to, load.mask, row);
    }
  }
}

// The same for all panels of a slice, with as many columns in a tile as there are.
GRADUS_AVX512_INLINE void multiply_panels(std::int64_t rows, std::int64_t columns, std::int64_t terms,
                                          const float* a, const float* b, float beta, Rows<float> c) {
  for (std::int64_t j = 0; j < columns; j += tile_columns) {
    const std::int64_t wide = std::min<std::int64_t>(columns - j, tile_columns);
    const auto multiply = wide > 2 * lanes ? multiply_tile<3>
                          : wide > lanes   ? multiply_tile<2>
                                           : multiply_tile<1>;
    for (std::int64_t i = 0; i < rows; i += tile_rows) {
      multiply(std::min<std::int64_t>(rows - i, tile_rows), wide, terms, a + i * terms, b + j * terms, beta,
               {c.data + i * c.stride + j, c.stride});
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

/// C ← A·B + β·C, where C is not read for β = 0.
GRADUS_AVX512 inline void multiply(const Product<float>& p) {
  float *const a = Slices::mine().a(), *const b = Slices::mine().b();
  const std::int64_t parts = (p.k + most_terms - 1) / most_terms;
  for (std::int64_t part = 0; part < parts; ++part) {
    const std::int64_t l = p.k * part / parts, terms = p.k * (part + 1) / parts - l;
    for (std::int64_t i = 0; i < p.m; i += most_rows) {
      const std::int64_t rows = std::min(p.m - i, most_rows);
      pack<tile_rows>(p.a_layout == Layout::plain, rows, terms, block(p.a, p.a_layout, {i, l}), a);
      for (std::int64_t j = 0; j < p.n; j += most_columns) {
        const std::int64_t columns = std::min(p.n - j, most_columns);
        pack<tile_columns>(p.b_layout == Layout::transposed, columns, terms, block(p.b, p.b_layout, {l, j}),
                           b);
        multiply_panels(rows, columns, terms, a, b, part == 0 ? p.beta : 1,
                        block(p.c, Layout::plain, {i, j}));
      }
    }
  }
}

}  // namespace gradus::kernels::packed

#endif
