#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "../gemm.hpp"
#include "panels.hpp"

/// Tiles of products: 8 rows by 48 columns of C keep their sums in 24 registers; each term of them is 24
/// multiply-adds of 3 loads and 8 broadcasts, so that arithmetic bounds it. A panel of 8 rows of A is to be
/// in the first cache, one of 48 columns of B in the second. The tile of C and the next panels are fetched
/// meanwhile, little by little: too much at a time would keep B waiting.
#if GRADUS_AVX512_KERNELS

namespace gradus::kernels {

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

// What a tile fetches, of each as many numbers as it has terms: one and the other into the first cache, what
// comes later into the second.
struct Next {
  const float *one, *other, *later;
};

// A tile of C is fetched in the last steps of 16 terms: earlier, and the panel of B, which goes through the
// first cache meanwhile, would drive it out again.
constexpr std::int64_t steps_to_fetch_c = 12;

// Where a tile's sums go, α of them: so many rows and columns of C ← α·A·B + β·D.
struct Destination {
  std::int64_t rows, columns;
  float alpha;
  Addend<float> addend;
  Rows<float> c;
};

template <int count>
using Destinations = std::array<Destination, count>;

// The sums of up to `height` rows of a panel of A with 16 · vectors columns of one of B, of which there are
// `columns`, for each of some destinations.
template <int height, int vectors, class Panel, int count>
GRADUS_AVX512 inline void multiply_tile(std::int64_t columns, std::int64_t terms, const Panel& panel,
                                        Rows<const float> b, const Destinations<count>& destinations,
                                        Next next) {
  const Panel a = panel;
  const LoadFirst load_last(columns - (vectors - 1) * lanes);
  Lanes sums[height * vectors];
#pragma GCC unroll 24
  for (int q = 0; q < height * vectors; ++q) sums[q] = Lanes{};
  const std::int64_t steps_before_c = std::max<std::int64_t>(terms / lanes - steps_to_fetch_c, 0);
  for (std::int64_t l = 0; l < terms;) {
    __builtin_prefetch(next.one + l);
    __builtin_prefetch(next.other + l);
    __builtin_prefetch(next.later + l, 0, 2);
    const std::int64_t row = l / lanes - steps_before_c;
    for (const Destination& to : destinations) {
      if (row < 0 || row >= to.rows) continue;
      const float* const first = to.c.data + row * to.c.stride;
#pragma GCC unroll 3
      for (int v = 0; v < vectors; ++v) __builtin_prefetch(first + v * lanes, 1);
      __builtin_prefetch(first + vectors * lanes - 1, 1);
    }
    for (const std::int64_t end = std::min(l + lanes, terms); l < end; ++l) {
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
  }
  for (const Destination& to : destinations) {
    const float beta = to.addend.beta;
    const LoadFirst load[] = {LoadFirst(to.columns), LoadFirst(to.columns - lanes),
                              LoadFirst(to.columns - 2 * lanes)};
#pragma GCC unroll 8
    for (int i = 0; i < height; ++i) {
      if (i >= to.rows) break;
#pragma GCC unroll 3
      for (int v = 0; v < vectors; ++v) {
        Lanes row = to.alpha * sums[i * vectors + v];
        if (beta != 0) row += beta * load[v](to.addend.d.data + i * to.addend.d.stride + v * lanes);
        _mm512_mask_storeu_ps(to.c.data + i * to.c.stride + v * lanes, load[v].mask, row);
      }
    }
  }
}

// A tile of no more rows and columns than there are, rounded up. For several destinations panels are filled
// up with 0, and tiles are whole.
template <class Panel, int count>
auto tile_for(std::int64_t rows, std::int64_t columns) {
  if constexpr (count > 1) {
    return multiply_tile<8, 3, Panel, count>;
  } else if (rows <= tile_rows / 2) {
    return columns > 2 * lanes ? multiply_tile<4, 3, Panel, count>
           : columns > lanes   ? multiply_tile<4, 2, Panel, count>
                               : multiply_tile<4, 1, Panel, count>;
  } else {
    return columns > 2 * lanes ? multiply_tile<8, 3, Panel, count>
           : columns > lanes   ? multiply_tile<8, 2, Panel, count>
                               : multiply_tile<8, 1, Panel, count>;
  }
}

}  // namespace gradus::kernels

#endif
