#include "gemm.hpp"

#include <gradus/autograd/parallel.hpp>
#include <gradus/autograd/xtensor.hpp>

#include <xtensor-blas/xblas.hpp>

#include <algorithm>
#include <type_traits>

#include "blas_kernels.hpp"
#include "kernels/packed.hpp"
#include "kernels/unpacked.hpp"
#include "product.hpp"

namespace gradus {
namespace {

// Of at least as many rows or columns is each thread's part, and it starts at a multiple of so many: a block
// of the library's inner loops.
constexpr std::int64_t block_size = 16;

// What carries a product.
enum class Kernel { library, unpacked, packed };

// Ours are for f32 and AVX-512. Measured: to read rows of A and of the transpose of B where they lie is
// faster for up to some 128 rows, as long as A stays in the second cache and the sums are long enough to make
// little of adding up lanes at their end. A single row, and fewer columns than lanes, are left to the
// library.
template <class T>
Kernel kernel_for(const Product<T>& p) {
  if (!has_avx512_kernels() || !std::is_same_v<T, float> || p.m == 1) return Kernel::library;
  const bool along_k = p.a_layout == Layout::plain && p.b_layout == Layout::transposed;
  if (along_k && p.m <= std::min<std::int64_t>(p.k / 8, 128) && p.m * p.k <= 1 << 17) return Kernel::unpacked;
  return p.n < 16 ? Kernel::library : Kernel::packed;
}

auto blas(Layout layout) {
  return layout == Layout::plain ? cxxblas::Transpose::NoTrans : cxxblas::Transpose::Trans;
}

int blas(std::int64_t size) { return static_cast<int>(size); }

// One row, as a decoder of one sentence has it, is bound by reading B: no time for packing it first.
template <class T>
void multiply_row(const Product<T>& p) {
  const bool plain = p.b_layout == Layout::plain;
  cxxblas::gemv(cxxblas::StorageOrder::RowMajor,
                plain ? cxxblas::Transpose::Trans : cxxblas::Transpose::NoTrans, blas(plain ? p.k : p.n),
                blas(plain ? p.n : p.k), T(1), p.b.data, blas(p.b.stride), p.a.data,
                blas(p.a_layout == Layout::plain ? 1 : p.a.stride), p.beta, p.c.data, 1);
}

template <class T>
void multiply_by_library(const Product<T>& p) {
  if (p.m == 1) return multiply_row(p);
  cxxblas::gemm(cxxblas::StorageOrder::RowMajor, blas(p.a_layout), blas(p.b_layout), blas(p.m), blas(p.n),
                blas(p.k), T(1), p.a.data, blas(p.a.stride), p.b.data, blas(p.b.stride), p.beta, p.c.data,
                blas(p.c.stride));
}

// On this thread.
template <class T>
void multiply(const Product<T>& p, [[maybe_unused]] Kernel kernel) {
#if GRADUS_AVX512_KERNELS
  if constexpr (std::is_same_v<T, float>) {
    if (kernel == Kernel::unpacked) return kernels::unpacked::multiply(p);
    if (kernel == Kernel::packed) return kernels::packed::multiply(p);
  }
#endif
  multiply_by_library(p);
}

}  // namespace

bool has_avx512_kernels() {
  static const bool has = GRADUS_AVX512_KERNELS && processor_features().avx512;
  return has;
}

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
  // Not decided part by part: the order of a sum is not to depend on the number of threads.
  const Kernel kernel = kernel_for(whole);
  const bool by_columns = n >= m;
  const std::int64_t blocks = (by_columns ? n : m) / block_size;
  const std::int64_t parts = std::min(shares_of_product(m, n, k), blocks);
  if (parts <= 1) return multiply(whole, kernel);
  parallel_tasks(parts, [&](std::int64_t part) {
    const std::int64_t begin = blocks * part / parts * block_size;
    const std::int64_t end =
        part + 1 == parts ? (by_columns ? n : m) : blocks * (part + 1) / parts * block_size;
    multiply(by_columns ? whole.columns(begin, end) : whole.rows(begin, end), kernel);
  });
}

template void gemm(Layout, Layout, std::int64_t, std::int64_t, std::int64_t, Rows<const float>,
                   Rows<const float>, float, Rows<float>);
template void gemm(Layout, Layout, std::int64_t, std::int64_t, std::int64_t, Rows<const double>,
                   Rows<const double>, double, Rows<double>);

}  // namespace gradus
