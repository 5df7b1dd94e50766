#include "gemm.hpp"

#include <gradus/autograd/xtensor.hpp>

#include <xtensor-blas/xblas.hpp>

#include <algorithm>
#include <array>

#include "blas_kernels.hpp"

namespace gradus {
namespace {

template <class T>
auto matrix(T* data, std::int64_t rows, std::int64_t columns) {
  const std::array shape{static_cast<std::size_t>(rows), static_cast<std::size_t>(columns)};
  return xt::adapt(data, shape[0] * shape[1], xt::no_ownership(), shape);
}

}  // namespace

template <class T>
void gemm(Layout a_layout, Layout b_layout, std::int64_t m, std::int64_t n, std::int64_t k, const T* a,
          const T* b, T beta, T* c) {
  if (m == 0 || n == 0) return;
  if (k == 0) {  // an empty sum; xtensor is not to see empty arrays
    std::transform(c, c + m * n, c, [beta](T value) { return beta == T(0) ? T(0) : beta * value; });
    return;
  }
  warn_once_of_slow_kernels();
  const bool a_transposed = a_layout == Layout::transposed;
  const bool b_transposed = b_layout == Layout::transposed;
  const auto a_matrix = a_transposed ? matrix(a, k, m) : matrix(a, m, k);
  const auto b_matrix = b_transposed ? matrix(b, n, k) : matrix(b, k, n);
  auto c_matrix = matrix(c, m, n);
  xt::blas::gemm(a_matrix, b_matrix, c_matrix, a_transposed, b_transposed, T(1), beta);
}

template void gemm(Layout, Layout, std::int64_t, std::int64_t, std::int64_t, const float*, const float*,
                   float, float*);
template void gemm(Layout, Layout, std::int64_t, std::int64_t, std::int64_t, const double*, const double*,
                   double, double*);

}  // namespace gradus
