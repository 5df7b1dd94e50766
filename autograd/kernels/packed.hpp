#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "../product.hpp"
#include "slices.hpp"

/// Products C ← A·B + β·D in tiles, of matrices that are packed first where that pays.
///
/// In which order a number's products are added depends on k alone, not on the rows beside it or on threads.
#if GRADUS_AVX512_KERNELS

namespace gradus::kernels::packed {

/// The most of a slice: its terms, its panels of A and of B.
constexpr std::int64_t most_terms = 768, most_panels_of_a = 168, most_panels_of_b = 4;

/// A plain B of at most so many numbers stays in the second cache, and is read where it lies.
constexpr std::int64_t most_in_place = 1 << 17;

/// B (terms, columns) as panels of 48 columns, one after the other.
GRADUS_AVX512 inline void pack_b(Layout layout, std::int64_t columns, std::int64_t terms, Rows<const float> b,
                                 float* to) {
  const Range panels{0, (columns + tile_columns - 1) / tile_columns, tile_columns};
  if (layout == Layout::plain) {
    pack_columns<tile_columns, Itself>(panels, terms, {Stored{b, terms, columns}}, {to, terms});
  } else {
    pack_rows<Itself>(panels, terms, {Stored{b, columns, terms}}, {to, terms});
  }
}

/// C ← A·B + β·D, where D is not read for β = 0.
GRADUS_AVX512 inline void multiply(const Product<float>& p) {
  float* const a =
      room_of_thread(most_terms * (most_panels_of_a * tile_rows + most_panels_of_b * tile_columns));
  float* const b = a + most_terms * most_panels_of_a * tile_rows;
  const bool packs_a = p.a_layout == Layout::transposed;
  const bool packs_b = p.b_layout == Layout::transposed || p.k * p.b.stride > most_in_place;
  constexpr std::int64_t most_rows = most_panels_of_a * tile_rows,
                         most_columns = most_panels_of_b * tile_columns;
  for_each_slice(p.k, most_terms, [&](std::int64_t begin, std::int64_t end) GRADUS_AVX512 {
    const Product<float> slice = p.terms(begin, end);
    const std::int64_t terms = slice.k, room = (terms + 1) / 2 * 2;
    for (std::int64_t i = 0; i < p.m; i += most_rows) {
      const std::int64_t rows = std::min(p.m - i, most_rows);
      const Rows<const float> from_a = block(slice.a, p.a_layout, {i, 0});
      if (packs_a) {
        pack_columns<tile_rows, Itself>({0, (rows + tile_rows - 1) / tile_rows, tile_rows}, terms,
                                        {Stored{from_a, terms, rows}}, {a, room});
      }
      for (std::int64_t j = 0; j < p.n; j += most_columns) {
        const std::int64_t columns = std::min(p.n - j, most_columns);
        const Rows<const float> from_b = block(slice.b, p.b_layout, {0, j});
        if (packs_b) pack_b(p.b_layout, columns, terms, from_b, b);
        const auto panel = [&](std::int64_t at) {
          return packs_b ? Rows<const float>{b + at * terms, tile_columns}
                         : Rows<const float>{from_b.data + at, from_b.stride};
        };
        const std::span<const float> nothing(from_a.data, 0);
        const auto tile = [&](std::int64_t row, std::int64_t column) {
          return Destinations<1>{Destination{
              std::min(rows - row, tile_rows), std::min(columns - column, tile_columns), 1,
              block(slice.addend, {i + row, j + column}), block(p.c, Layout::plain, {i + row, j + column})}};
        };
        if (packs_a) {
          multiply_slice(rows, columns, terms, PackedRows{a, room}, panel, tile, nothing);
        } else {
          multiply_slice(rows, columns, terms, PlainRows{from_a}, panel, tile, nothing);
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
      tile_for<PlainPanel, 1>(high, wide)(
          wide, terms, {high, block(a, Layout::plain, {i, begin})}, {panel, tile_columns},
          Destinations<1>{Destination{high, wide, 1, block(before, {i, j}), block(c, Layout::plain, {i, j})}},
          {fetched, fetched + terms, fetched});
    }
  });
}

}  // namespace gradus::kernels::packed

#endif
