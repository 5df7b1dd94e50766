#pragma once

#include <cstdint>  // also defines __GLIBC__

/// GRADUS_CLONES marks a function that works on whole rows. The function inlines all its callees (flatten).
/// GCC compiles it three times: for any x86-64, for x86-64-v3 (AVX2) and for x86-64-v4 (AVX-512). The dynamic
/// loader chooses one version. Some builds have only one version: builds without optimisation, builds by
/// another compiler, builds for another processor or without glibc, and builds that require AVX2 anyway, for
/// example by GRADUS_NATIVE. Builds with AddressSanitizer or ThreadSanitizer have only one version, too,
/// because the loader would choose before the sanitizer is initialised. The function is static, because GCC
/// exports non-static clones from a shared library even if they are hidden.
#if defined(__GNUC__) && !defined(__clang__) && defined(__GLIBC__) && defined(__x86_64__) && \
    defined(__OPTIMIZE__) && !defined(__AVX2__) && !defined(__SANITIZE_ADDRESS__) &&         \
    !defined(__SANITIZE_THREAD__)
#define GRADUS_CLONED 1
#define GRADUS_CLONES \
  static __attribute__((flatten, target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define GRADUS_CLONED 0
#define GRADUS_CLONES static __attribute__((flatten))
#endif
