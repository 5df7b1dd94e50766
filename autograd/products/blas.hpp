#pragma once

#include <gradus/autograd/build_info.hpp>

#include "product.hpp"

/// Products in f32 and f64 by this build's BLAS: OpenBLAS (openblas.cpp) or, for WASI, web/wasi/products.cpp.
/// gemm.cpp decides which products go to oneDNN instead.
namespace gradus::blas {

/// Computes a product on this thread. The first call chooses the kernels, as initialise() does.
template <class T>
void multiply(const Product<T>& p);

/// True if the kernels in use have a special path for small products, which packs nothing.
bool has_small_products();

/// Sets the fields of `info` that describe the BLAS.
void describe(BuildInfo& info);

}  // namespace gradus::blas
