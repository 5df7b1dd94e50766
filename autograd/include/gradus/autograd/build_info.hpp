#pragma once

#include <string>

#pragma GCC visibility push(default)
/// The libraries that compute matrix products.
namespace gradus {

/// Sets OpenBLAS to one thread, because gradus splits products among threads() itself. If OpenBLAS has better
/// kernels for this processor than those in use, switches to them: sets OPENBLAS_CORETYPE, rebuilds
/// OpenBLAS's kernel table, and unsets OPENBLAS_CORETYPE. If the user has set OPENBLAS_CORETYPE, the kernels
/// stay as they are.
///
/// The first product that the BLAS computes calls initialise(), and so does the first build_info(). Loading
/// the library gradus does not call initialise(). If a program's own threads use OpenBLAS, call initialise()
/// before those threads start.
void initialise();

/// How this library was built, and which libraries compute its matrix products.
struct BuildInfo {
  std::string compiler;
  /// The instruction set of the library's own loops, for example "x86-64 with AVX-512". If loops over rows
  /// are compiled for several instruction sets (kernels/clones.hpp), and this processor supports a larger set
  /// than the basic one, the text also names the set used for these loops: "x86-64, and x86-64-v3 (AVX2) for
  /// rows".
  std::string instructions;
  /// The version and instruction set of oneDNN: "oneDNN 2.6.3, avx512_core". Empty if gradus was built
  /// without oneDNN; the BLAS then computes all products. With oneDNN, the BLAS still computes all f64
  /// products. It also computes those f32 products for which it is faster than oneDNN.
  std::string onednn;
  std::string blas;          ///< the BLAS, with its version
  std::string blas_kernels;  ///< the kernels in use: "SkylakeX", "Haswell" …
  /// The kernels that the BLAS chose by itself; initialise() may replace these kernels.
  std::string blas_detected;
  int threads = 1;      ///< threads() (parallel.hpp)
  std::string warning;  ///< why faster kernels could not be chosen; else empty
};
BuildInfo build_info();

}  // namespace gradus
#pragma GCC visibility pop
