#include "products/blas.hpp"
#include "simd128.hpp"

// The BLAS of WebAssembly builds.
namespace gradus {

void initialise() {}

namespace blas {

template <class T>
void multiply(const Product<T>& p) {
  simd128::multiply(p);
}

bool has_small_products() { return true; }

void describe(BuildInfo& info) {
  info.blas = "gradus";
  info.blas_kernels = info.blas_detected = "simd128";
}

template void multiply(const Product<float>&);
template void multiply(const Product<double>&);

}  // namespace blas
}  // namespace gradus
