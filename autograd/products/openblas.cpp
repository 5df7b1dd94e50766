#include "openblas.hpp"

#include <gradus/autograd/build_info.hpp>
#include <gradus/autograd/scope.hpp>
#include <gradus/autograd/xtensor.hpp>

// xblas.hpp 0.21 defines HAVE_CBLAS only after its wrappers. Without an earlier definition, the wrappers use
// plain loops instead of the BLAS.
#define HAVE_CBLAS 1
#include <xtensor-blas/xblas.hpp>

#include <cstdio>
#include <cstdlib>
#include <limits>

#include "blas.hpp"

// Functions of OpenBLAS. The symbols are weak, because another BLAS may be linked instead of OpenBLAS. In
// that case, gradus chooses no kernels. The last two functions free and rebuild OpenBLAS's kernel table. They
// are exported but undocumented.
extern "C" {
[[gnu::weak]] char* openblas_get_corename();
[[gnu::weak]] char* openblas_get_config();
[[gnu::weak]] int openblas_get_num_threads();
[[gnu::weak]] void openblas_set_num_threads(int);
[[gnu::weak]] void gotoblas_dynamic_quit();
[[gnu::weak]] void gotoblas_dynamic_init();
}

namespace gradus {
namespace {

struct Choice {
  std::string detected;
  std::string warning;
};

Choice warned(const Choice& choice) {
  if (!choice.warning.empty()) std::fprintf(stderr, "gradus: %s\n", choice.warning.c_str());
  return choice;
}

Choice choose_kernels() {
  if (!openblas_get_corename) return {};
  Choice choice{openblas_get_corename(), {}};
  // gemm() splits products among threads(). OpenBLAS's own threads would compete with these threads, and are
  // slower for most sizes.
  if (openblas_set_num_threads) openblas_set_num_threads(1);
  const std::string better = better_kernels(choice.detected, processor_features());
  if (better.empty() || std::getenv("OPENBLAS_CORETYPE") != nullptr) return choice;
  if (!gotoblas_dynamic_quit || !gotoblas_dynamic_init || !openblas_set_num_threads ||
      !openblas_get_num_threads) {
    choice.warning = "OpenBLAS runs its " + choice.detected +
                     " kernels, but this processor supports faster ones; set OPENBLAS_CORETYPE=" + better +
                     " in the environment";
    return warned(choice);
  }
  const int threads = openblas_get_num_threads();
  setenv("OPENBLAS_CORETYPE", better.c_str(), 1);
  gotoblas_dynamic_quit();
  gotoblas_dynamic_init();
  unsetenv("OPENBLAS_CORETYPE");  // so that child processes choose their own kernels
  openblas_set_num_threads(threads);
  if (openblas_get_corename() != better) {
    choice.warning = "OpenBLAS runs its " + std::string(openblas_get_corename()) + " kernels and refused " +
                     better + "; products will be slow";
  }
  return warned(choice);
}

// The choice of kernels, made once by the first thread that needs it.
const Choice& choice() {
  static const Choice made = choose_kernels();
  return made;
}

auto transpose(Layout layout) {
  return layout == Layout::plain ? cxxblas::Transpose::NoTrans : cxxblas::Transpose::Trans;
}

// OpenBLAS takes sizes as int.
constexpr std::int64_t most = std::numeric_limits<int>::max();
int size(std::int64_t value) { return static_cast<int>(value); }

// Computes a product with one row by gemv, which does not pack B. Packing would not pay, because most of the
// time goes into reading B.
template <class T>
void multiply_row(const Product<T>& p) {
  const bool plain = p.b_layout == Layout::plain;
  const T beta = addend_in_c(p);
  cxxblas::gemv(cxxblas::StorageOrder::RowMajor, transpose(plain ? Layout::transposed : Layout::plain),
                size(plain ? p.k : p.n), size(plain ? p.n : p.k), T(1), p.b.data, size(p.b.stride), p.a.data,
                size(p.a_layout == Layout::plain ? 1 : p.a.stride), beta, p.c.data, 1);
}

}  // namespace

ProcessorFeatures processor_features() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return {.avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"),
          .avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")};
#else
  return {};
#endif
}

std::string better_kernels(const std::string& current, ProcessorFeatures features) {
  // OpenBLAS uses these kernels on processors that it does not know. No other kernels are replaced.
  for (const char* old :
       {"Prescott", "Core2", "Penryn", "Dunnington", "Nehalem", "Atom", "Northwood", "Katmai", "Coppermine",
        "Banias", "Opteron", "Opteron_SSE3", "Athlon", "Barcelona", "Bobcat", "Nano"}) {
    if (current != old) continue;
    return features.avx512 ? "SkylakeX" : features.avx2 ? "Haswell" : "";
  }
  return {};
}

void initialise() { choice(); }

namespace blas {

template <class T>
void multiply(const Product<T>& whole) {
  choice();
  if (std::max({whole.a.stride, whole.b.stride, whole.c.stride}) > most) {
    fail("matmul", "a matrix has rows of ", std::max({whole.a.stride, whole.b.stride, whole.c.stride}),
         " elements, and OpenBLAS takes ", most, " at most; split the last axis");
  }
  for_parts_within(most, whole, [](const Product<T>& p) {
    if (p.m == 1) return multiply_row(p);
    const T beta = addend_in_c(p);
    cxxblas::gemm(cxxblas::StorageOrder::RowMajor, transpose(p.a_layout), transpose(p.b_layout), size(p.m),
                  size(p.n), size(p.k), T(1), p.a.data, size(p.a.stride), p.b.data, size(p.b.stride), beta,
                  p.c.data, size(p.c.stride));
  });
}

bool has_small_products() {
  static const bool has = [] {
    choice();
    const std::string kernels = openblas_get_corename ? openblas_get_corename() : "";
    return kernels == "SkylakeX" || kernels == "Cooperlake" || kernels == "SapphireRapids";
  }();
  return has;
}

void describe(BuildInfo& info) {
  info.blas_detected = choice().detected;
  info.warning = choice().warning;
  info.blas = openblas_get_config ? openblas_get_config() : "a BLAS other than OpenBLAS";
  info.blas_kernels = openblas_get_corename ? openblas_get_corename() : "unknown";
}

template void multiply(const Product<float>&);
template void multiply(const Product<double>&);

}  // namespace blas
}  // namespace gradus
