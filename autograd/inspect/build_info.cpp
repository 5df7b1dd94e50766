#include <gradus/autograd/build_info.hpp>
#include <gradus/autograd/parallel.hpp>

#include "kernels/clones.hpp"
#include "products/blas.hpp"
#include "products/onednn.hpp"

namespace gradus {
namespace {

const char* instructions() {
#if GRADUS_CLONED
  if (__builtin_cpu_supports("x86-64-v4")) return "x86-64, and x86-64-v4 (AVX-512) for rows";
  if (__builtin_cpu_supports("x86-64-v3")) return "x86-64, and x86-64-v3 (AVX2) for rows";
  return "x86-64";
#elif defined(__AVX512F__)
  return "x86-64 with AVX-512";
#elif defined(__AVX2__)
  return "x86-64 with AVX2";
#elif defined(__x86_64__)
  return "x86-64";
#else
  return "this machine's own";
#endif
}

}  // namespace

BuildInfo build_info() {
  BuildInfo info;
#if defined(__clang__)
  info.compiler = "clang " __clang_version__;
#else
  info.compiler = "g++ " __VERSION__;
#endif
  info.instructions = instructions();
  blas::describe(info);
  info.onednn = onednn::description();
  info.threads = threads();
  return info;
}

}  // namespace gradus
