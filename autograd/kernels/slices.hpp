#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <tuple>

#include "../gemm.hpp"
#include "../product.hpp"
#include "panels.hpp"
#include "tiles.hpp"

/// Slices of a product, of as many terms, rows of A and columns of B as the caches hold: a panel of A stays
/// in the first while the panels of B come from the second, again and again (K. Goto, R. van de Geijn,
/// "Anatomy of high-performance matrix multiplication", ACM TOMS 34, 2008).
#if GRADUS_AVX512_KERNELS

namespace gradus::kernels {

/// This thread's room for panels of `size` numbers at least; what of it is not used takes no memory. Not from
/// the pool: it stays, and would stand in the way of large tensors there.
inline float* room_of_thread(std::int64_t size) {
  constexpr std::align_val_t alignment{64};
  struct Free {
    void operator()(float* room) const { ::operator delete(room, alignment); }
  };
  thread_local std::unique_ptr<float, Free> room;
  thread_local std::int64_t size_of_room = 0;
  if (size > size_of_room) {
    room.reset();
    size_of_room = 0;
    room.reset(
        static_cast<float*>(::operator new(static_cast<std::size_t>(size) * sizeof(float), alignment)));
    size_of_room = size;
  }
  return room.get();
}

/// A slice of A: its rows as they lie, or packed, where each panel has room for so many terms.
struct PlainRows {
  Rows<const float> a;
  using Panel = PlainPanel;
  PlainPanel panel(std::int64_t i, std::int64_t rows) const {
    return {rows, block(a, Layout::plain, {i, 0})};
  }
  Next quarter(std::int64_t i, std::int64_t rows, std::int64_t q, const float* later) const {
    const PlainPanel p = panel(i, rows);
    return {p.rows[2 * q], p.rows[2 * q + 1], later};
  }
};
struct PackedRows {
  const float* a;
  std::int64_t terms;
  using Panel = PackedPanel;
  PackedPanel panel(std::int64_t i, std::int64_t) const { return {a + i * terms}; }
  Next quarter(std::int64_t i, std::int64_t, std::int64_t q, const float* later) const {
    const float* const from = a + (i + 2 * q) * terms;
    return {from, from + terms, later};
  }
};

/// All tiles of a slice: b(j) is the panel of B that begins at column j, destinations(i, j) are those of the
/// tile that begins at row i and column j. The first four tiles beside a panel of A fetch a quarter each of
/// the next one, and all of them, in turn, what comes `later`: memory that exists, be it none.
template <class A, class PanelOfB, class DestinationsOf>
GRADUS_AVX512_INLINE void multiply_slice(std::int64_t rows, std::int64_t columns, std::int64_t terms,
                                         const A& a, const PanelOfB& b, const DestinationsOf& destinations,
                                         std::span<const float> later) {
  const auto height = [=](std::int64_t i) { return std::min(rows - i, tile_rows); };
  const float* fetched = later.data();
  const float* const end = fetched + later.size();
  for (std::int64_t i = 0; i < rows; i += tile_rows) {
    const auto panel = a.panel(i, height(i));
    const std::int64_t next = i + tile_rows < rows ? i + tile_rows : i;
    for (std::int64_t j = 0; j < columns; j += tile_columns) {
      const std::int64_t wide = std::min(columns - j, tile_columns);
      tile_for<typename A::Panel, std::tuple_size_v<decltype(destinations(i, j))>>(height(i), wide)(
          wide, terms, panel, b(j), destinations(i, j),
          a.quarter(next, height(next), std::min<std::int64_t>(j / tile_columns, 3), fetched));
      fetched = end - fetched > terms ? fetched + terms : later.data();
    }
  }
}

}  // namespace gradus::kernels

#endif
