#include "gemm.hpp"

#include <gradus/autograd/parallel.hpp>
#include <gradus/autograd/runtime.hpp>
#include <gradus/autograd/xtensor.hpp>

#include <xtensor-blas/xblas.hpp>

#include <algorithm>
#include <type_traits>

#include "blas_kernels.hpp"
#include "kernels/packed.hpp"
#include "kernels/strassen.hpp"
#include "kernels/unpacked.hpp"
#include "product.hpp"

namespace gradus {
namespace {

// What carries a product; Strassen's algorithm with one level or two.
enum class Kernel { library, unpacked, packed, strassen, strassen_twice };

int levels(Kernel kernel) {
  return kernel == Kernel::strassen ? 1 : kernel == Kernel::strassen_twice ? 2 : 0;
}

// Each thread's part starts at a multiple of so many rows or columns; the last may have half as many.
std::int64_t block_size([[maybe_unused]] Kernel kernel, [[maybe_unused]] bool by_columns) {
#if GRADUS_AVX512_KERNELS
  if (levels(kernel) > 0) {
    return by_columns ? kernels::strassen::group_of_columns(levels(kernel))
                      : kernels::strassen::group_of_rows(levels(kernel));
  }
#endif
  return 16;  // a block of the library's inner loops
}

// Whether threads share the columns of C or its rows; each reads all of the other matrix. Strassen's blocks
// of columns are wide, so that rows are shared more evenly.
bool is_shared_by_columns(Kernel kernel, std::int64_t m, std::int64_t n) {
  return levels(kernel) > 0 ? n >= 2 * m : n >= m;
}

// To save an eighth of the multiplications pays from such sizes on, and to save an eighth of the rest as
// well, measured. What is packed for the latter has to be used by many rows and columns.
template <class T>
bool is_large(const Product<T>& p) {
  return p.m >= 1024 && p.n >= 768 && p.k >= 384;
}
template <class T>
bool is_very_large(const Product<T>& p) {
  return std::min({p.m, p.n, p.k}) >= 1536 && p.m * p.n >= 1 << 23;
}

// Ours are for f32 and AVX-512. Measured: to read rows of A and of the transpose of B where they lie is
// faster for up to some 128 rows, as long as A stays in the second cache and the sums are long enough to make
// little of adding up lanes at their end. A single row is read so as long as B stays in a core's cache. Other
// single rows, and fewer columns than lanes, are left to the library.
template <class T>
Kernel kernel_for(const Product<T>& p) {
  if (!has_avx512_kernels() || !std::is_same_v<T, float>) return Kernel::library;
  const bool along_k = p.a_layout == Layout::plain && p.b_layout == Layout::transposed;
  if (p.m == 1) {
    const bool cached = p.n * p.k * static_cast<std::int64_t>(sizeof(T)) <= cached_weight_bytes;
    return along_k && cached ? Kernel::unpacked : Kernel::library;
  }
  if (along_k && p.m <= std::min<std::int64_t>(p.k / 8, 128) && p.m * p.k <= 1 << 17) return Kernel::unpacked;
  if (is_large(p) && !uses_conventional_products()) {
    return is_very_large(p) ? Kernel::strassen_twice : Kernel::strassen;
  }
  return p.n < 16 ? Kernel::library : Kernel::packed;
}

auto blas(Layout layout) {
  return layout == Layout::plain ? cxxblas::Transpose::NoTrans : cxxblas::Transpose::Trans;
}

int blas(std::int64_t size) { return static_cast<int>(size); }

// The addend where the library looks for it. @return the β of C then
template <class T>
T put_addend_into_c(const Product<T>& p) {
  const T beta = p.addend.beta;  // not structured bindings: older compilers do not let lambdas see those
  const Rows<const T> d = p.addend.d;
  if (beta == T(0) || d.data == p.c.data) return beta;
  for (std::int64_t row = 0; row < p.m; ++row) {
    const T* const from = d.data + row * d.stride;
    std::transform(from, from + p.n, p.c.data + row * p.c.stride, [beta](T value) { return beta * value; });
  }
  return T(1);
}

// One row, as a decoder of one sentence has it, is bound by reading B: no time for packing it first.
template <class T>
void multiply_row(const Product<T>& p) {
  const bool plain = p.b_layout == Layout::plain;
  cxxblas::gemv(cxxblas::StorageOrder::RowMajor,
                plain ? cxxblas::Transpose::Trans : cxxblas::Transpose::NoTrans, blas(plain ? p.k : p.n),
                blas(plain ? p.n : p.k), T(1), p.b.data, blas(p.b.stride), p.a.data,
                blas(p.a_layout == Layout::plain ? 1 : p.a.stride), put_addend_into_c(p), p.c.data, 1);
}

template <class T>
void multiply_by_library(const Product<T>& p) {
  if (p.m == 1) return multiply_row(p);
  cxxblas::gemm(cxxblas::StorageOrder::RowMajor, blas(p.a_layout), blas(p.b_layout), blas(p.m), blas(p.n),
                blas(p.k), T(1), p.a.data, blas(p.a.stride), p.b.data, blas(p.b.stride), put_addend_into_c(p),
                p.c.data, blas(p.c.stride));
}

// Empty sums, and no memory that the library may be shown.
template <class T>
void multiply_nothing(const Product<T>& p) {
  const auto [beta, d] = p.addend;
  for (std::int64_t row = 0; row < p.m; ++row) {
    for (std::int64_t i = 0; i < p.n; ++i) {
      p.c.data[row * p.c.stride + i] = beta == T(0) ? T(0) : beta * d.data[row * d.stride + i];
    }
  }
}

// On this thread.
template <class T>
void multiply(const Product<T>& p, [[maybe_unused]] Kernel kernel) {
#if GRADUS_AVX512_KERNELS
  if constexpr (std::is_same_v<T, float>) {
    if (kernel == Kernel::unpacked) return kernels::unpacked::multiply(p);
    if (kernel == Kernel::packed) return kernels::packed::multiply(p);
    if (kernel == Kernel::strassen) return kernels::strassen::multiply<1>(p);
    if (kernel == Kernel::strassen_twice) return kernels::strassen::multiply<2>(p);
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
          Rows<const T> b, Addend<T> addend, Rows<T> c) {
  if (m == 0 || n == 0) return;
  const Product<T> whole{a_layout, b_layout, m, n, k, a, b, addend, c};
  if (k == 0) return multiply_nothing(whole);
  warn_once_of_slow_kernels();
  // Not decided part by part: the order of a sum is not to depend on the number of threads.
  const Kernel kernel = kernel_for(whole);
  const bool by_columns = is_shared_by_columns(kernel, m, n);
  const std::int64_t size = block_size(kernel, by_columns), extent = by_columns ? n : m;
  const std::int64_t parts = std::min(shares_of_product(m, n, k), extent / size);
  if (parts <= 1) return multiply(whole, kernel);
  const auto cut = [=](std::int64_t part) {  // where blocks meet, nearest to an equal share
    return part == parts ? extent : (extent * part / parts + size / 2) / size * size;
  };
  parallel_tasks(parts, [&](std::int64_t part) {
    multiply(by_columns ? whole.columns(cut(part), cut(part + 1)) : whole.rows(cut(part), cut(part + 1)),
             kernel);
  });
}

template void gemm(Layout, Layout, std::int64_t, std::int64_t, std::int64_t, Rows<const float>,
                   Rows<const float>, Addend<float>, Rows<float>);
template void gemm(Layout, Layout, std::int64_t, std::int64_t, std::int64_t, Rows<const double>,
                   Rows<const double>, Addend<double>, Rows<double>);

}  // namespace gradus
