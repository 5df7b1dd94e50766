#pragma once

#include <cstdint>  // also defines __GLIBC__

/// GRADUS_CLONES, before a function that works on whole rows, inlines all that it calls (flatten), and makes
/// GCC compile it three times: for any x86-64, for x86-64-v3 (AVX2) and for x86-64-v4 (AVX-512). The dynamic
/// loader chooses one version. There is only one version if all code is compiled for one processor
/// (GRADUS_NATIVE), without optimisation, under sanitizers, which are not initialised when the loader
/// chooses, and with other compilers and systems. The function is static, because GCC exports clones that are
/// not static from a shared library, even if hidden.
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
