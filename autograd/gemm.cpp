#include "gemm.hpp"

#include <gradus/autograd/parallel.hpp>
#include <gradus/autograd/xtensor.hpp>

#include <xtensor-blas/xblas.hpp>

#include <algorithm>
#include <type_traits>

#include "blas_kernels.hpp"
#include "kernels/unpacked.hpp"

namespace gradus {
namespace {

// Products of fewer multiply-adds than this stay on one thread: 64 · 64 · 64 take some 5 µs. Of a single row
// they take several times as long, since each reads an element of B.
constexpr std::int64_t worth_sharing = 1 << 18;
constexpr std::int64_t row_worth_sharing = 1 << 15;
// Of at least as many rows or columns is each thread's part, and it starts at a multiple of so many: a block
// of the library's inner loops.
constexpr std::int64_t block = 16;

// Whether m rows times the transpose of n are faster from where they lie than by the library, which packs
// them first. From some 150 rows on that costs nothing; for fewer than 1200 results OpenBLAS, too, does
// without; A is to stay in the second cache; and adding up the lanes of a sum is only little beside the sum
// if that is long.
bool is_faster_unpacked(Layout a_layout, Layout b_layout, std::int64_t m, std::int64_t n, std::int64_t k) {
  static const bool can_run = processor_features().avx512;
  return can_run && a_layout == Layout::plain && b_layout == Layout::transposed && m > 1 && m <= 128 &&
         m * n > 1200 && m * k <= 1 << 17 && k >= 128;
}

auto blas(Layout layout) {
  return layout == Layout::plain ? cxxblas::Transpose::NoTrans : cxxblas::Transpose::Trans;
}

int blas(std::int64_t size) { return static_cast<int>(size); }

template <class T>
struct Product {
  Layout a_layout, b_layout;
  std::int64_t m, n, k;
  Rows<const T> a, b;
  T beta;
  Rows<T> c;
  // Not decided part by part: the order of a sum is not to depend on the number of threads.
  bool unpacked = is_faster_unpacked(a_layout, b_layout, m, n, k);

  Product rows(std::int64_t begin, std::int64_t end) const {
    Product part = *this;
    part.m = end - begin;
    part.a.data += a_layout == Layout::plain ? begin * a.stride : begin;
    part.c.data += begin * c.stride;
    return part;
  }
  Product columns(std::int64_t begin, std::int64_t end) const {
    Product part = *this;
    part.n = end - begin;
    part.b.data += b_layout == Layout::plain ? begin : begin * b.stride;
    part.c.data += begin;
    return part;
  }

  void run() const {
#if GRADUS_UNPACKED
    if constexpr (std::is_same_v<T, float>) {
      if (unpacked) return kernels::unpacked::multiply(m, n, k, a, b, beta, c);
    }
#endif
    if (m == 1) return run_row();
    cxxblas::gemm(cxxblas::StorageOrder::RowMajor, blas(a_layout), blas(b_layout), blas(m), blas(n), blas(k),
                  T(1), a.data, blas(a.stride), b.data, blas(b.stride), beta, c.data, blas(c.stride));
  }

  // One row, as a decoder of one sentence has it, is bound by reading B: no time for packing it first.
  void run_row() const {
    const bool plain = b_layout == Layout::plain;
    cxxblas::gemv(cxxblas::StorageOrder::RowMajor,
                  plain ? cxxblas::Transpose::Trans : cxxblas::Transpose::NoTrans, blas(plain ? k : n),
                  blas(plain ? n : k), T(1), b.data, blas(b.stride), a.data,
                  blas(a_layout == Layout::plain ? 1 : a.stride), beta, c.data, 1);
  }
};

}  // namespace

template <class T>
void gemm(Layout a_layout, Layout b_layout, std::int64_t m, std::int64_t n, std::int64_t k, Rows<const T> a,
          Rows<const T> b, T beta, Rows<T> c) {
  if (m == 0 || n == 0) return;
  if (k == 0) {  // an empty sum, and no memory that the library may be shown
    for (std::int64_t row = 0; row < m; ++row) {
      T* const values = c.data + row * c.stride;
      std::transform(values, values + n, values,
                     [beta](T value) { return beta == T(0) ? T(0) : beta * value; });
    }
    return;
  }
  warn_once_of_slow_kernels();
  const Product<T> whole{a_layout, b_layout, m, n, k, a, b, beta, c};
  const bool by_columns = n >= m;
  const std::int64_t blocks = (by_columns ? n : m) / block;
  const std::int64_t worth = m == 1 ? row_worth_sharing : worth_sharing;
  const std::int64_t parts = m * n * k < worth ? 1 : std::min<std::int64_t>(team::available(), blocks);
  if (parts <= 1) return whole.run();
  parallel_tasks(parts, [&](std::int64_t part) {
    const std::int64_t begin = blocks * part / parts * block;
    const std::int64_t end = part + 1 == parts ? (by_columns ? n : m) : blocks * (part + 1) / parts * block;
    (by_columns ? whole.columns(begin, end) : whole.rows(begin, end)).run();
  });
}

template void gemm(Layout, Layout, std::int64_t, std::int64_t, std::int64_t, Rows<const float>,
                   Rows<const float>, float, Rows<float>);
template void gemm(Layout, Layout, std::int64_t, std::int64_t, std::int64_t, Rows<const double>,
                   Rows<const double>, double, Rows<double>);

}  // namespace gradus
