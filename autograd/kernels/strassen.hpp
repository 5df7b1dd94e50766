#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>

#include "../product.hpp"
#include "slices.hpp"

/// Large products with fewer multiplications (V. Strassen, "Gaussian elimination is not optimal", Numerische
/// Mathematik 13, 1969). Of halves of rows, terms and columns
///
///     (C₁₁ C₁₂)   (A₁₁ A₁₂) (B₁₁ B₁₂)
///     (C₂₁ C₂₂) = (A₂₁ A₂₂)·(B₂₁ B₂₂)
///
/// has eight products; seven of sums are enough:
///
///     M₁ = (A₁₁ + A₂₂)(B₁₁ + B₂₂)    C₁₁ = M₁ + M₄ − M₅ + M₇
///     M₂ = (A₂₁ + A₂₂) B₁₁           C₁₂ = M₃ + M₅
///     M₃ = A₁₁ (B₁₂ − B₂₂)           C₂₁ = M₂ + M₄
///     M₄ = A₂₂ (B₂₁ − B₁₁)           C₂₂ = M₁ − M₂ + M₃ + M₆
///     M₅ = (A₁₁ + A₁₂) B₂₂
///     M₆ = (A₂₁ − A₁₁)(B₁₁ + B₁₂)
///     M₇ = (A₁₂ − A₂₂)(B₂₁ + B₂₂)
///
/// And each of the seven may be made of seven again: two levels make 49 multiplications for 64.
///
/// Sums are made where panels are packed, and a tile is added to all its places in C, so that no matrix is
/// made of them (J. Huang, T. Smith, G. Henry, R. van de Geijn, "Strassen's algorithm reloaded", SC 2016).
/// All seven sums of the same quarters are packed at once, since to read those bounds packing. What each
/// level saves, an eighth of the multiplications, is less the time for that, which grows with every level,
/// and for more sums in C.
///
/// The halves of rows and of columns are every other panel of 8 or of 48, those of terms the first and the
/// second. So a number's rounding error is bounded not by its own row of A and column of B alone, but by
/// those of the panels beside them too; the bound is some three times that of the eight products for each
/// level (N. Higham, "Accuracy and stability of numerical algorithms", 2002, (23.14)). In which order
/// products are added depends on the sizes alone, not on threads.
#if GRADUS_AVX512_KERNELS

namespace gradus::kernels::strassen {

// Of A, B or C. Its bits say which half of their rows and which of their columns.
enum Quarter { q11, q12, q21, q22 };
constexpr std::int64_t row_half(Quarter q) { return q >> 1; }
constexpr std::int64_t column_half(Quarter q) { return q & 1; }

// One or two quarters of A or B, first + sign · second, where sign = 0 is for one.
struct Factor {
  Quarter first, second = q11;
  float sign = 0;
};
// What M adds to a quarter of C, sign · M, where sign = 0 is for nothing; `first` says that none came there
// before.
struct Target {
  Quarter quarter;
  float sign;
  bool first = false;
};
struct Multiplication {
  Factor a, b;
  Target one, other = {q11, 0};
};
inline constexpr Multiplication multiplications[] = {
    {{q11, q22, 1}, {q11, q22, 1}, {q11, 1, true}, {q22, 1, true}},
    {{q21, q22, 1}, {q11}, {q21, 1, true}, {q22, -1}},
    {{q11}, {q12, q22, -1}, {q12, 1, true}, {q22, 1}},
    {{q22}, {q21, q11, -1}, {q11, 1}, {q21, 1}},
    {{q11, q12, 1}, {q22}, {q11, -1}, {q12, 1}},
    {{q21, q11, -1}, {q11, q12, 1}, {q22, 1}},
    {{q12, q22, -1}, {q21, q22, 1}, {q11, 1}},
};

// What stands for the outer level where there is but one.
inline constexpr Multiplication once[] = {{{q11}, {q11}, {q11, 1, true}}};

template <int levels>
constexpr auto& outer_multiplications() {
  static_assert(levels == 1 || levels == 2);
  if constexpr (levels == 1) {
    return once;
  } else {
    return multiplications;
  }
}

/// The rows of C that are divided together, and the columns; threads' parts begin at a multiple of them.
constexpr std::int64_t group_of_rows(int levels) { return tile_rows << levels; }
constexpr std::int64_t group_of_columns(int levels) { return tile_columns << levels; }

/// The most of a slice: terms of a part of it, and groups of rows and of columns. So a thread's panels take
/// at most some 12 MB for one level, and 96 MB for two.
constexpr std::int64_t most_terms(int levels) { return levels == 1 ? 384 : 512; }
constexpr std::int64_t most_groups_of_rows = 112, most_groups_of_columns = 4;

/// All seven sums of A's quarters, or of B's.
template <Factor Multiplication::*factor>
struct Sums {
  static constexpr int sources = 4;

  template <class Store>
  GRADUS_AVX512_INLINE static void each(const Lanes* quarters, const Store& store) {
    [&]<int... m>(std::integer_sequence<int, m...>) GRADUS_AVX512 { (store(m, sum<m>(quarters)), ...); }
    (std::make_integer_sequence<int, static_cast<int>(std::size(multiplications))>());
  }

 private:
  template <int m>
  GRADUS_AVX512_INLINE static Lanes sum(const Lanes* quarters) {
    constexpr Factor f = multiplications[m].*factor;
    if constexpr (f.sign == 0) return quarters[f.first];
    return f.sign > 0 ? quarters[f.first] + quarters[f.second] : quarters[f.first] - quarters[f.second];
  }
};
// Those of A are more than a cache holds until they are read: past it, and nothing is read to be overwritten.
struct SumsOfA : Sums<&Multiplication::a> {
  GRADUS_AVX512_INLINE static void store(float* to, Lanes x) { _mm512_stream_ps(to, x); }
};
struct SumsOfB : Sums<&Multiplication::b> {
  GRADUS_AVX512_INLINE static void store(float* to, Lanes x) { _mm512_storeu_ps(to, x); }
};

// Some terms of a product, in two or four parts, of which the last ones may be shorter.
template <int levels>
class Slice {
 public:
  Slice(const Product<float>& p, std::int64_t begin, std::int64_t end)
      : p_(p), begin_(begin), end_(end), terms_((end - begin + (1 << levels) - 1) >> levels) {}

  std::int64_t terms_of_part() const { return terms_; }

  // pack(x) for the four quarters of an outer factor, of A from its row i on, or of B from its column j on.
  template <class Pack>
  GRADUS_AVX512_INLINE void with_a(const Factor& outer, std::int64_t i, const Pack& pack) const {
    with_quarters(
        outer, [&](Quarter q, Quarter inner) { return a(q, inner, i); }, pack);
  }
  template <class Pack>
  GRADUS_AVX512_INLINE void with_b(const Factor& outer, std::int64_t j, const Pack& pack) const {
    with_quarters(
        outer, [&](Quarter q, Quarter inner) { return b(q, inner, j); }, pack);
  }

  // Where in C a tile goes, of the groups that begin at row i and column j.
  Destinations<1 << levels> places(const Multiplication& outer, const Multiplication& inner, std::int64_t i,
                                   std::int64_t j) const {
    const Destination one = place(outer.one, inner.one, i, j), other = place(outer.one, inner.other, i, j);
    if constexpr (levels == 1) {
      return {one, other};
    } else {
      return {one, other, place(outer.other, inner.one, i, j), place(outer.other, inner.other, i, j)};
    }
  }

 private:
  template <class Block, class Pack>
  GRADUS_AVX512_INLINE void with_quarters(const Factor& outer, const Block& block, const Pack& pack) const {
    if (outer.sign == 0) {
      const auto quarter = [&](Quarter q) { return block(outer.first, q); };
      const Stored quarters[] = {quarter(q11), quarter(q12), quarter(q21), quarter(q22)};
      pack(quarters);
    } else {
      const auto quarter = [&](Quarter q) {
        return StoredSum{block(outer.first, q), block(outer.second, q), outer.sign};
      };
      const StoredSum quarters[] = {quarter(q11), quarter(q12), quarter(q21), quarter(q22)};
      pack(quarters);
    }
  }

  // Of halves and their halves, which of all parts: terms lie one part after the other, panels of rows and
  // columns by turns.
  static std::int64_t row_part(Quarter outer, Quarter inner) { return 2 * row_half(outer) + row_half(inner); }
  static std::int64_t column_part(Quarter outer, Quarter inner) {
    return 2 * column_half(outer) + column_half(inner);
  }
  std::int64_t first_term(std::int64_t part) const { return begin_ + part * terms_; }
  std::int64_t terms(std::int64_t part) const {
    return std::clamp<std::int64_t>(end_ - first_term(part), 0, terms_);
  }

  Stored a(Quarter outer, Quarter inner, std::int64_t i) const {
    const std::int64_t row = i + row_part(outer, inner) * tile_rows, part = column_part(outer, inner);
    const Rows<const float> from = block(p_.a, p_.a_layout, {row, first_term(part)});
    return p_.a_layout == Layout::plain ? Stored{from, p_.m - row, terms(part)}
                                        : Stored{from, terms(part), p_.m - row};
  }
  Stored b(Quarter outer, Quarter inner, std::int64_t j) const {
    const std::int64_t part = row_part(outer, inner), column = j + column_part(outer, inner) * tile_columns;
    const Rows<const float> from = block(p_.b, p_.b_layout, {first_term(part), column});
    return p_.b_layout == Layout::plain ? Stored{from, terms(part), p_.n - column}
                                        : Stored{from, p_.n - column, terms(part)};
  }
  Destination place(const Target& outer, const Target& inner, std::int64_t i, std::int64_t j) const {
    const std::int64_t row = i + row_part(outer.quarter, inner.quarter) * tile_rows,
                       column = j + column_part(outer.quarter, inner.quarter) * tile_columns;
    const std::int64_t rows = std::clamp<std::int64_t>(p_.m - row, 0, tile_rows),
                       columns = std::clamp<std::int64_t>(p_.n - column, 0, tile_columns);
    const float sign = outer.sign * inner.sign;
    if (columns == 0 || sign == 0) return {0, 0, 0, {}, p_.c};
    const Rows<float> c = block(p_.c, Layout::plain, {row, column});
    const bool first = outer.first && inner.first && begin_ == 0;
    return {rows, columns, sign, first ? block(p_.addend, {row, column}) : Addend<float>{1, c}, c};
  }

  const Product<float>& p_;
  std::int64_t begin_, end_, terms_;
};

// For how many terms a panel of A has room, so that each store is whole and aligned. Rows a multiple of a
// kilobyte apart would compete for the same few lines of the first cache.
inline std::int64_t room_for_terms(Layout a, std::int64_t terms) {
  if (a == Layout::transposed) return (terms + 1) / 2 * 2;
  const std::int64_t steps = (terms + lanes - 1) / lanes;
  return lanes * (steps % 16 == 0 ? steps + 1 : steps);
}

/// C ← A·B + β·D, where D is not read for β = 0.
template <int levels>
GRADUS_AVX512 inline void multiply(const Product<float>& p) {
  constexpr auto& outer_level = outer_multiplications<levels>();
  constexpr std::int64_t high = group_of_rows(levels), wide = group_of_columns(levels);
  constexpr std::int64_t sums_of_b = std::size(multiplications),
                         sums_of_a = std::size(outer_level) * sums_of_b;
  const auto groups = [](std::int64_t extent, std::int64_t size) { return (extent + size - 1) / size; };
  const std::int64_t most_rows = high * groups(groups(p.m, high), groups(p.m, high * most_groups_of_rows)),
                     most_columns = wide * most_groups_of_columns;
  const std::int64_t most_room =
      room_for_terms(p.a_layout, std::min(groups(p.k, 1 << levels), most_terms(levels)));
  const std::int64_t size_of_a = sums_of_a * most_rows / high * tile_rows * most_room,
                     size_of_b = sums_of_b * most_groups_of_columns * tile_columns * most_room;
  float *const a = room_of_thread(size_of_a + size_of_b), *const b = a + size_of_a;
  for_each_slice(p.k, most_terms(levels) << levels, [&](std::int64_t begin, std::int64_t end) GRADUS_AVX512 {
    const Slice<levels> slice(p, begin, end);
    const std::int64_t terms = slice.terms_of_part(), room = room_for_terms(p.a_layout, terms);
    for (std::int64_t i = 0; i < p.m; i += most_rows) {
      const std::int64_t panels_of_a = groups(std::min(p.m - i, most_rows), high);
      const std::int64_t rows = panels_of_a * tile_rows, a_apart = rows * room;
      // a few panels at a time, while their rows are in the cache
      for (std::int64_t first = 0; first < panels_of_a; first += 4) {
        const Range panels{first, std::min(first + 4, panels_of_a), high};
        Room to{a, room, a_apart};
        for (const Multiplication& outer : outer_level) {
          slice.with_a(outer.a, i, [&](const auto& x) GRADUS_AVX512 {
            if (p.a_layout == Layout::plain) return copy_rows<SumsOfA>(panels, terms, x, to);
            pack_columns<tile_rows, SumsOfA>(panels, terms, x, to);
          });
          to.data += sums_of_b * a_apart;
        }
      }
      _mm_sfence();
      for (std::int64_t j = 0; j < p.n; j += most_columns) {
        const std::int64_t panels_of_b = groups(std::min(p.n - j, most_columns), wide);
        const std::int64_t columns = panels_of_b * tile_columns, b_apart = columns * terms;
        const float* sum_of_a = a;
        for (const Multiplication& outer : outer_level) {
          slice.with_b(outer.b, j, [&](const auto& x) GRADUS_AVX512 {
            const Range panels{0, panels_of_b, wide};
            const Room to{b, terms, b_apart};
            if (p.b_layout == Layout::transposed) return pack_rows<SumsOfB>(panels, terms, x, to);
            pack_columns<tile_columns, SumsOfB>(panels, terms, x, to);
          });
          const float* sum_of_b = b;
          for (const Multiplication& inner : multiplications) {
            const auto panel = [&](std::int64_t column) {
              return Rows<const float>{sum_of_b + column * terms, tile_columns};
            };
            const auto places = [&](std::int64_t row, std::int64_t column) {
              return slice.places(outer, inner, i + (row << levels), j + (column << levels));
            };
            const std::int64_t size_of_next = &inner == std::end(multiplications) - 1 ? 0 : b_apart;
            const std::span<const float> next_b(sum_of_b + size_of_next, size_of_next);
            if (p.a_layout == Layout::plain) {
              multiply_slice(rows, columns, terms, PlainRows{{sum_of_a, room}}, panel, places, next_b);
            } else {
              multiply_slice(rows, columns, terms, PackedRows{sum_of_a, room}, panel, places, next_b);
            }
            sum_of_a += a_apart;
            sum_of_b += b_apart;
          }
        }
      }
    }
  });
}

}  // namespace gradus::kernels::strassen

#endif
