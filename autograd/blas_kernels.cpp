#include "blas_kernels.hpp"

#include <gradus/autograd/parallel.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "kernels/clones.hpp"

// OpenBLAS's own functions. Weak: another BLAS may be linked in its place, and then there is nothing to
// choose. The last two are exported but not documented; they free and rebuild its table of kernels.
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

// Rebuilding OpenBLAS's table of kernels is not thread-safe, so this is run when the library is loaded.
Choice choose_kernels() {
  if (!openblas_get_corename) return {};
  Choice choice{openblas_get_corename(), {}};
  // Its own threads cost more than they do at most sizes, and spin against ours: gemm.hpp shares products
  // out.
  if (openblas_set_num_threads) openblas_set_num_threads(1);
  const std::string better = better_kernels(choice.detected, processor_features());
  if (better.empty() || std::getenv("OPENBLAS_CORETYPE") != nullptr) return choice;
  if (!gotoblas_dynamic_quit || !gotoblas_dynamic_init || !openblas_set_num_threads ||
      !openblas_get_num_threads) {
    choice.warning = "OpenBLAS runs its " + choice.detected +
                     " kernels, and this processor has faster ones; start with " +
                     "OPENBLAS_CORETYPE=" + better + " in the environment";
    return choice;
  }
  const int threads = openblas_get_num_threads();
  setenv("OPENBLAS_CORETYPE", better.c_str(), 1);
  gotoblas_dynamic_quit();
  gotoblas_dynamic_init();
  unsetenv("OPENBLAS_CORETYPE");  // child processes choose for themselves
  openblas_set_num_threads(threads);
  if (openblas_get_corename() != better) {
    choice.warning = "OpenBLAS runs its " + std::string(openblas_get_corename()) + " kernels and refused " +
                     better + "; products will be slow";
  }
  return choice;
}

// A function's static, because other static objects may multiply before this unit's are made.
const Choice& choice() {
  static const Choice made = choose_kernels();
  return made;
}
[[maybe_unused]] const Choice& at_load = choice();

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
  // What OpenBLAS falls back to when it does not know the processor; newer names are left alone.
  for (const char* old :
       {"Prescott", "Core2", "Penryn", "Dunnington", "Nehalem", "Atom", "Northwood", "Katmai", "Coppermine",
        "Banias", "Opteron", "Opteron_SSE3", "Athlon", "Barcelona", "Bobcat", "Nano"}) {
    if (current != old) continue;
    return features.avx512 ? "SkylakeX" : features.avx2 ? "Haswell" : "";
  }
  return {};
}

void describe_blas(BuildInfo& info) {
  info.blas = openblas_get_config ? openblas_get_config() : "a BLAS other than OpenBLAS";
  info.blas_kernels = openblas_get_corename ? openblas_get_corename() : "unknown";
  info.blas_detected = choice().detected;
  info.threads = threads();
  info.warning = choice().warning;
}

void warn_once_of_slow_kernels() {
  static std::atomic<bool> warned{false};
  if (choice().warning.empty() || warned.load(std::memory_order_relaxed) || warned.exchange(true)) return;
  std::fprintf(stderr, "gradus: %s\n", choice().warning.c_str());
}

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
  describe_blas(info);
  return info;
}

}  // namespace gradus
