#pragma once

#include <algorithm>
#include <cstdint>
#include <new>
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

/// The most of a slice: its terms, its panels of A and of B.
constexpr std::int64_t most_terms = 768, most_panels_of_a = 168, most_panels_of_b = 4;

/// This thread's room for the panels of a slice; what of it is not used takes no memory. Not from the pool:
/// it stays, and would stand in the way of large tensors there.
class PanelsOfSlice {
 public:
  static PanelsOfSlice& mine() {
    thread_local PanelsOfSlice panels;
    return panels;
  }
  PanelsOfSlice() = default;
  PanelsOfSlice(const PanelsOfSlice&) = delete;
  PanelsOfSlice& operator=(const PanelsOfSlice&) = delete;
  ~PanelsOfSlice() { ::operator delete(room_, alignment); }

  float* a() const { return room_; }
  float* b() const { return room_ + size_of_a; }

 private:
  static constexpr std::align_val_t alignment{64};
  static constexpr std::int64_t size_of_a = most_terms * most_panels_of_a * tile_rows,
                                size_of_b = most_terms * most_panels_of_b * tile_columns;
  float* room_ = static_cast<float*>(::operator new((size_of_a + size_of_b) * sizeof(float), alignment));
};

/// A slice of A: its rows as they lie, or packed.
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

/// All tiles of a slice: b(j) is the panel of B that begins at column j, destinations(i, j) are those of the
/// tile that begins at row i and column j. The first four tiles beside a panel of A fetch a quarter each of
/// the next one.
template <class A, class PanelOfB, class DestinationsOf>
GRADUS_AVX512_INLINE void multiply_slice(std::int64_t rows, std::int64_t columns, std::int64_t terms,
                                         const A& a, const PanelOfB& b, const DestinationsOf& destinations) {
  const auto height = [=](std::int64_t i) { return std::min(rows - i, tile_rows); };
  for (std::int64_t i = 0; i < rows; i += tile_rows) {
    const auto panel = a.panel(i, height(i));
    const std::int64_t next = i + tile_rows < rows ? i + tile_rows : i;
    for (std::int64_t j = 0; j < columns; j += tile_columns) {
      const std::int64_t wide = std::min(columns - j, tile_columns);
      tile_for<typename A::Panel, std::tuple_size_v<decltype(destinations(i, j))>>(height(i), wide)(
          wide, terms, panel, b(j), destinations(i, j),
          a.quarter(next, height(next), std::min<std::int64_t>(j / tile_columns, 3)));
    }
  }
}

}  // namespace gradus::kernels

#endif
