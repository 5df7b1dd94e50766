#pragma once

#include <algorithm>
#include <cstdint>

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
/// Sums are made where panels are packed, and a tile is added to both its places in C, so that none takes
/// room (J. Huang, T. Smith, G. Henry, R. van de Geijn, "Strassen's algorithm reloaded", SC 2016). An eighth
/// of the multiplications is saved, less the time for packing what has to be read three times, and for more
/// sums in C.
///
/// The halves are every other panel of 8 rows and every other one of 48 columns. So a number's rounding error
/// is bounded not by its own row of A and column of B alone, but by those of the panels beside them too; the
/// bound is some three times that of the eight products (N. Higham, "Accuracy and stability of numerical
/// algorithms", 2002, (23.14)). In which order products are added depends on the sizes alone, not on threads.
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

/// The rows of C that are halved together, and the columns; threads' parts begin at a multiple of them.
constexpr std::int64_t pair_of_rows = 2 * tile_rows, pair_of_columns = 2 * tile_columns;

// Some terms of a product, in halves, of which the second may be shorter by one.
class Slice {
 public:
  Slice(const Product<float>& p, std::int64_t begin, std::int64_t end)
      : p_(p), begin_(begin), end_(end), half_((end - begin + 1) / 2) {}

  std::int64_t terms_of_half() const { return half_; }

  // pack(x) for what is to be packed, of A from its row i on, or of B from its column j on.
  template <class Pack>
  GRADUS_AVX512_INLINE void with_a(const Factor& factor, std::int64_t i, const Pack& pack) const {
    with_sum(
        factor, [&](Quarter q) { return a(q, i); }, pack);
  }
  template <class Pack>
  GRADUS_AVX512_INLINE void with_b(const Factor& factor, std::int64_t j, const Pack& pack) const {
    with_sum(
        factor, [&](Quarter q) { return b(q, j); }, pack);
  }

  // Where in C a tile of M goes, of the pairs that begin at row i and column j.
  Destinations<2> places(const Multiplication& m, std::int64_t i, std::int64_t j) const {
    return {place(m.one, i, j), place(m.other, i, j)};
  }

 private:
  template <class QuarterOf, class Pack>
  GRADUS_AVX512_INLINE void with_sum(const Factor& factor, const QuarterOf& quarter, const Pack& pack) const {
    if (factor.sign == 0) return pack(quarter(factor.first));
    pack(StoredSum{quarter(factor.first), quarter(factor.second), factor.sign});
  }

  std::int64_t first_term(std::int64_t half) const { return begin_ + half * half_; }
  std::int64_t terms(std::int64_t half) const { return half == 0 ? half_ : end_ - begin_ - half_; }

  Stored a(Quarter q, std::int64_t i) const {
    const std::int64_t row = i + row_half(q) * tile_rows, half = column_half(q);
    const Rows<const float> from = block(p_.a, p_.a_layout, {row, first_term(half)});
    return p_.a_layout == Layout::plain ? Stored{from, p_.m - row, terms(half)}
                                        : Stored{from, terms(half), p_.m - row};
  }
  Stored b(Quarter q, std::int64_t j) const {
    const std::int64_t half = row_half(q), column = j + column_half(q) * tile_columns;
    const Rows<const float> from = block(p_.b, p_.b_layout, {first_term(half), column});
    return p_.b_layout == Layout::plain ? Stored{from, terms(half), p_.n - column}
                                        : Stored{from, p_.n - column, terms(half)};
  }
  Destination place(const Target& target, std::int64_t i, std::int64_t j) const {
    const std::int64_t row = i + row_half(target.quarter) * tile_rows,
                       column = j + column_half(target.quarter) * tile_columns;
    const std::int64_t rows = std::clamp<std::int64_t>(p_.m - row, 0, tile_rows),
                       columns = std::clamp<std::int64_t>(p_.n - column, 0, tile_columns);
    if (columns == 0 || target.sign == 0) return {0, 0, 0, {}, p_.c};
    const Rows<float> c = block(p_.c, Layout::plain, {row, column});
    const Addend<float> before =
        target.first && begin_ == 0 ? block(p_.addend, {row, column}) : Addend<float>{1, c};
    return {rows, columns, target.sign, before, c};
  }

  const Product<float>& p_;
  std::int64_t begin_, end_, half_;
};

/// C ← A·B + β·D, where D is not read for β = 0.
GRADUS_AVX512 inline void multiply(const Product<float>& p) {
  float *const a = PanelsOfSlice::mine().a(), *const b = PanelsOfSlice::mine().b();
  constexpr std::int64_t most_rows = most_panels_of_a * pair_of_rows,
                         most_columns = most_panels_of_b * pair_of_columns;
  for_each_slice(p.k, 2 * most_terms, [&](std::int64_t begin, std::int64_t end) GRADUS_AVX512 {
    const Slice slice(p, begin, end);
    const std::int64_t terms = slice.terms_of_half();
    for (std::int64_t i = 0; i < p.m; i += most_rows) {
      const std::int64_t panels_of_a = (std::min(p.m - i, most_rows) + pair_of_rows - 1) / pair_of_rows;
      for (const Multiplication& m : multiplications) {
        slice.with_a(m.a, i, [&](const auto& x) GRADUS_AVX512 {
          if (p.a_layout == Layout::plain) return copy_rows(panels_of_a, pair_of_rows, terms, x, a);
          pack_columns<tile_rows>(panels_of_a, pair_of_rows, terms, x, a);
        });
        for (std::int64_t j = 0; j < p.n; j += most_columns) {
          const std::int64_t panels_of_b =
              (std::min(p.n - j, most_columns) + pair_of_columns - 1) / pair_of_columns;
          slice.with_b(m.b, j, [&](const auto& x) GRADUS_AVX512 {
            if (p.b_layout == Layout::transposed) return pack_rows(panels_of_b, pair_of_columns, terms, x, b);
            pack_columns<tile_columns>(panels_of_b, pair_of_columns, terms, x, b);
          });
          const auto panel = [&](std::int64_t column) {
            return Rows<const float>{b + column * terms, tile_columns};
          };
          const auto places = [&](std::int64_t row, std::int64_t column) {
            return slice.places(m, i + 2 * row, j + 2 * column);
          };
          const std::int64_t rows = panels_of_a * tile_rows, columns = panels_of_b * tile_columns;
          if (p.a_layout == Layout::plain) {
            multiply_slice(rows, columns, terms, PlainRows{{a, terms}}, panel, places);
          } else {
            multiply_slice(rows, columns, terms, PackedRows{a, terms}, panel, places);
          }
        }
      }
    }
  });
}

}  // namespace gradus::kernels::strassen

#endif
