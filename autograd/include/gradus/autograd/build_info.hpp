#pragma once

#include <string>

#pragma GCC visibility push(default)
/// The libraries that compute matrix products.
namespace gradus {

/// Chooses the OpenBLAS kernels for this processor, and sets OpenBLAS to one thread: products are split among
/// threads() instead. The first product or build_info() calls it implicitly. A program whose own threads use
/// OpenBLAS must call it before they start, because it rebuilds OpenBLAS's kernel table and sets
/// OPENBLAS_CORETYPE for the duration of the call. Loading the library changes nothing. If OPENBLAS_CORETYPE
/// is set, the kernels are left as they are.
void initialise();

/// How this library was built, and which libraries compute its matrix products.
struct BuildInfo {
  std::string compiler;
  /// The target of the library's own loops, and the variant in use of those that are compiled for several
  /// targets (kernels/clones.hpp): "x86-64 with AVX-512", "x86-64, and x86-64-v3 (AVX2) for rows" …
  std::string instructions;
  /// The library for f32 products, with its version and instruction set: "oneDNN 2.6.3, avx512_core"; empty
  /// if that is the BLAS. The BLAS computes f64 products, and the f32 products at which it is faster.
  std::string onednn;
  std::string blas;          ///< the BLAS, with its version
  std::string blas_kernels;  ///< the kernels in use: "SkylakeX", "Haswell" …
  std::string
      blas_detected;    ///< the kernels that the BLAS chose by itself; initialise() may have replaced them
  int threads = 1;      ///< threads() (parallel.hpp)
  std::string warning;  ///< why faster kernels could not be chosen; else empty
};
BuildInfo build_info();

}  // namespace gradus
#pragma GCC visibility pop
