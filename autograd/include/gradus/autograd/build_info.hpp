#pragma once

#include <string>

#pragma GCC visibility push(default)
/// The libraries that compute matrix products.
namespace gradus {

/// Chooses the OpenBLAS kernels for this processor, and sets OpenBLAS to one thread, because products are
/// split among threads() instead. The first product and build_info() call initialise() implicitly. A program
/// whose own threads use OpenBLAS must call it before they start, because it rebuilds OpenBLAS's kernel table
/// and sets OPENBLAS_CORETYPE for the duration of the call. Loading the library changes nothing. If
/// OPENBLAS_CORETYPE is set, the kernels are left as they are.
void initialise();

/// How this library was built, and which libraries compute its matrix products.
struct BuildInfo {
  std::string compiler;
  /// The instruction set for which the library's own loops were compiled: "x86-64 with AVX-512". Loops over
  /// rows may be compiled for several instruction sets (kernels/clones.hpp). Then the text also names the one
  /// that this processor uses: "x86-64, and x86-64-v3 (AVX2) for rows".
  std::string instructions;
  /// The version and instruction set of oneDNN: "oneDNN 2.6.3, avx512_core"; empty if the BLAS computes all
  /// products. Otherwise the BLAS computes f64 products, and those f32 products for which it is faster than
  /// oneDNN.
  std::string onednn;
  std::string blas;          ///< the BLAS, with its version
  std::string blas_kernels;  ///< the kernels in use: "SkylakeX", "Haswell" …
  /// The kernels that the BLAS chose by itself. initialise() may have replaced them.
  std::string blas_detected;
  int threads = 1;      ///< threads() (parallel.hpp)
  std::string warning;  ///< why faster kernels could not be chosen; else empty
};
BuildInfo build_info();

}  // namespace gradus
#pragma GCC visibility pop
