#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "../gemm.hpp"
#include "avx512.hpp"

/// Panels: 8 rows of A (…, terms) or 48 columns of B (terms, …), put into the order in which the inner loop
/// of a product reads them. What is put there is made of one matrix or several, each perhaps a sum of two,
/// and is 0 beyond their ends. Reading bounds it, so panels are made side by side of what lies together, and
/// as many as need the same numbers at once.
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

/// What panels are made of, number by number: of those that some sources have at the same place come those of
/// as many results. Here the one source is the result.
struct Itself {
  static constexpr int sources = 1;
  template <class Store>
  GRADUS_AVX512_INLINE static void each(const Lanes* x, const Store& store) {
    store(0, x[0]);
  }
  GRADUS_AVX512_INLINE static void store(float* to, Lanes x) { _mm512_storeu_ps(to, x); }
};

/// Where panels go: each has room for so many terms, and the panels of the results are so far apart.
struct Room {
  float* data;
  std::int64_t terms, apart = 0;
};

/// The panels [first, last) of those that begin `step` apart.
struct Range {
  std::int64_t first, last, step;
};

template <class Source, std::size_t count>
std::int64_t rows_of_all(const Source (&x)[count]) {
  std::int64_t rows = x[0].rows_of_all();
  for (const Source& other : x) rows = std::min(rows, other.rows_of_all());
  return rows;
}
template <class Source, std::size_t count>
std::int64_t columns_of_all(const Source (&x)[count]) {
  std::int64_t columns = x[0].columns_of_all();
  for (const Source& other : x) columns = std::min(columns, other.columns_of_all());
  return columns;
}

// Rows that follow each other at a stride are fetched so many ahead: the processor does not foresee them.
constexpr std::int64_t ahead = 16;
// So many panels are made side by side: some of the first cache's lines for each of them.
constexpr std::int64_t most_side_by_side = 8;

/// How many rows of `width` numbers fill a register, where width is 8, or a multiple of 16.
template <std::int64_t width>
constexpr std::int64_t rows_at_once = width < lanes ? 2 : 1;

template <std::int64_t width, bool exist, class Source>
GRADUS_AVX512_INLINE Lanes load_rows(const Source& x, std::int64_t row, std::int64_t column) {
  x.fetch(row + ahead, column);
  if constexpr (rows_at_once<width> == 1) return x.template load<exist>(row, column);
  x.fetch(row + 1 + ahead, column);
  const Lanes one = x.template load<exist, width>(row, column),
              other = x.template load<exist, width>(row + 1, column);
  return __builtin_shufflevector(one, other, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
}

template <std::int64_t width, bool exist, class Mix, class Source, std::size_t count>
GRADUS_AVX512_INLINE void pack_some_columns(Range panels, std::int64_t begin, std::int64_t end,
                                            const Source (&x)[count], Room room) {
  for (std::int64_t l = begin; l < end; l += rows_at_once<width>) {
    for (std::int64_t q = panels.first; q < panels.last; ++q) {
      float* const to = room.data + (q * room.terms + l) * width;
#pragma GCC unroll 3
      for (std::int64_t v = 0; v < width; v += lanes) {
        Lanes from[count];
#pragma GCC unroll 4
        for (std::size_t i = 0; i < count; ++i) {
          from[i] = load_rows<width, exist>(x[i], l, q * panels.step + v);
        }
        Mix::each(from,
                  [&](int result, Lanes y) GRADUS_AVX512 { Mix::store(to + v + result * room.apart, y); });
      }
    }
  }
}

/// Panels of `width` columns of X (terms, …), one after the other: to[width · (terms · q + l) + j] ←
/// x_{l, step · q + j}. With a width of 8 an odd number of terms is followed by one more, 0.
template <std::int64_t width, class Mix, class Source, std::size_t count>
GRADUS_AVX512 inline void pack_columns(Range panels, std::int64_t terms, const Source (&x)[count],
                                       Room room) {
  static_assert(count == Mix::sources);
  const auto [first, last, step] = panels;
  const std::int64_t whole = rows_at_once<width>;
  const std::int64_t exist = std::clamp((columns_of_all(x) - width + step) / step, first, last),
                     rows = std::clamp<std::int64_t>(rows_of_all(x), 0, terms) / whole * whole;
  for (std::int64_t q = first; q < exist; q += most_side_by_side) {
    pack_some_columns<width, true, Mix>({q, std::min(q + most_side_by_side, exist), step}, 0, rows, x, room);
  }
  pack_some_columns<width, false, Mix>({first, exist, step}, rows, terms, x, room);
  pack_some_columns<width, false, Mix>({exist, last, step}, 0, terms, x, room);
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

template <bool exist, class Mix, class Source, std::size_t count>
GRADUS_AVX512_INLINE void pack_squares(std::int64_t row, std::int64_t l, std::int64_t terms,
                                       const Source (&x)[count], float* to, std::int64_t apart) {
  for (std::int64_t i = 0; i < tile_columns; i += lanes) {
    Lanes squares[count][lanes];
    for (std::size_t s = 0; s < count; ++s) {
#pragma GCC unroll 16
      for (std::int64_t j = 0; j < lanes; ++j) {
        x[s].fetch(row + i + j, l + 2 * lanes);
        squares[s][j] = x[s].template load<exist>(row + i + j, l);
      }
      transpose(squares[s]);
    }
    for (std::int64_t j = 0; j < terms; ++j) {
      Lanes from[count];
      for (std::size_t s = 0; s < count; ++s) from[s] = squares[s][j];
      Mix::each(from, [&](int result, Lanes y)
                          GRADUS_AVX512 { Mix::store(to + j * tile_columns + i + result * apart, y); });
    }
  }
}

/// Panels of 48 rows of X (…, terms), one after the other: to[48 · (terms · q + l) + j] ← x_{step · q + j, l}
template <class Mix, class Source, std::size_t count>
GRADUS_AVX512 inline void pack_rows(Range panels, std::int64_t terms, const Source (&x)[count], Room room) {
  static_assert(count == Mix::sources);
  const std::int64_t rows = rows_of_all(x), columns = std::min(columns_of_all(x), terms);
  for (std::int64_t q = panels.first; q < panels.last; ++q) {
    const std::int64_t row = q * panels.step;
    for (std::int64_t l = 0; l < terms; l += lanes) {
      float* const to = room.data + (q * room.terms + l) * tile_columns;
      if (row + tile_columns <= rows && l + lanes <= columns) {
        pack_squares<true, Mix>(row, l, lanes, x, to, room.apart);
      } else {
        pack_squares<false, Mix>(row, l, std::min(terms - l, lanes), x, to, room.apart);
      }
    }
  }
}

/// Panels of 8 rows of X (…, terms) as they are: to[terms · (8 · q + i) + l] ← x_{step · q + i, l}, where the
/// room is for a multiple of 16 terms; those that are missing are 0.
template <class Mix, class Source, std::size_t count>
GRADUS_AVX512 inline void copy_rows(Range panels, std::int64_t terms, const Source (&x)[count], Room room) {
  static_assert(count == Mix::sources);
  const std::int64_t rows = rows_of_all(x), columns = std::min(columns_of_all(x), terms);
  const auto copy = [&]<bool exist>(std::int64_t row, std::int64_t l, float* to) GRADUS_AVX512 {
    Lanes from[count];
#pragma GCC unroll 4
    for (std::size_t i = 0; i < count; ++i) {
      x[i].fetch(row + 1, l);
      from[i] = x[i].template load<exist>(row, l);
    }
    Mix::each(from, [&](int result, Lanes y) GRADUS_AVX512 { Mix::store(to + l + result * room.apart, y); });
  };
  for (std::int64_t q = panels.first; q < panels.last; ++q) {
    for (std::int64_t i = 0; i < tile_rows; ++i) {
      const std::int64_t row = q * panels.step + i;
      float* const to = room.data + (q * tile_rows + i) * room.terms;
      std::int64_t l = 0;
      if (row < rows) {
        for (; l + lanes <= columns; l += lanes) copy.template operator()<true>(row, l, to);
      }
      for (; l < terms; l += lanes) copy.template operator()<false>(row, l, to);
    }
  }
}

}  // namespace gradus::kernels

#endif
