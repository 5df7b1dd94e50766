#include "gemm.hpp"

#include <type_traits>

#include "bf16.hpp"
#include "blas.hpp"
#include "onednn.hpp"
#include "product.hpp"

namespace gradus {
namespace {

// oneDNN computes f32 products unless OpenBLAS is faster. In measurements with AVX-512, OpenBLAS is faster in
// three cases: one row times a transposed B; few rows times a large transposed B; a small product of several
// rows with a plain B, if OpenBLAS has kernels for small products.
template <class T>
bool is_for_onednn(const Product<T>& p) {
  if (!onednn::is_used() || !std::is_same_v<T, float>) return false;
  if (p.b_layout == Layout::transposed) return p.m > 256 || (p.m > 1 && p.n * p.k < 1 << 20);
  return p.m == 1 || p.m * p.n * p.k > 1 << 19 || !blas::has_small_products();
}

}  // namespace

template <class T>
void multiply(const Product<T>& whole) {
  // Chooses oneDNN or the BLAS by the size of the whole product, not of each part. So the order of sums
  // depends less on the number of threads.
  const bool with_onednn = is_for_onednn(whole);
  split_among_threads(whole, [=](const Product<T>& p) {
    if constexpr (std::is_same_v<T, float>) {
      if (with_onednn) return onednn::multiply(p);
    }
    blas::multiply(p);
  });
}

template <class T>
void gemm(Layout a_layout, Layout b_layout, std::int64_t m, std::int64_t n, std::int64_t k, Rows<const T> a,
          Rows<const T> b, Addend<T> addend, Rows<T> c) {
  if (m == 0 || n == 0) return;
  const Product<T> p{a_layout, b_layout, m, n, k, a, b, addend, c};
  if (k == 0) return put_addend(p);
  if constexpr (std::is_same_v<T, float>) {
    if (bf16::rounds(m, n, k)) return bf16::multiply(p);
  }
  multiply(p);
}

template void gemm(Layout, Layout, std::int64_t, std::int64_t, std::int64_t, Rows<const float>,
                   Rows<const float>, Addend<float>, Rows<float>);
template void gemm(Layout, Layout, std::int64_t, std::int64_t, std::int64_t, Rows<const double>,
                   Rows<const double>, Addend<double>, Rows<double>);

template void multiply(const Product<float>&);
template void multiply(const Product<double>&);

}  // namespace gradus
