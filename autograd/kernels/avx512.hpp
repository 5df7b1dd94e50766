#pragma once

#include <algorithm>
#include <cstdint>

/// What the kernels that are written for AVX-512 share; GRADUS_AVX512_KERNELS says whether they are compiled.
/// Only a processor that has it may get into a function marked GRADUS_AVX512, whatever the rest is compiled
/// for.
#if defined(__GNUC__) && defined(__x86_64__) && defined(__OPTIMIZE__)
#define GRADUS_AVX512_KERNELS 1

#include <immintrin.h>

#define GRADUS_AVX512 __attribute__((target("avx512f")))
#define GRADUS_AVX512_INLINE GRADUS_AVX512 __attribute__((always_inline)) inline

namespace gradus::kernels {

using Lanes = float __attribute__((vector_size(64)));
constexpr std::int64_t lanes = 16;

struct LoadAll {
  GRADUS_AVX512_INLINE Lanes operator()(const float* from) const { return _mm512_loadu_ps(from); }
};

/// The first `count` lanes, all for 16 and more, none below 1; the others are 0, and their memory is not
/// read.
struct LoadFirst {
  __mmask16 mask;
  explicit LoadFirst(std::int64_t count)
      : mask(static_cast<__mmask16>((1U << std::clamp<std::int64_t>(count, 0, lanes)) - 1)) {}
  GRADUS_AVX512_INLINE Lanes operator()(const float* from) const { return _mm512_maskz_loadu_ps(mask, from); }
};

/// slice(begin, end) for equal slices of k terms, of no more than `most` each.
template <class Slice>
GRADUS_AVX512_INLINE void for_each_slice(std::int64_t k, std::int64_t most, const Slice& slice) {
  const std::int64_t slices = (k + most - 1) / most;
  for (std::int64_t i = 0; i < slices; ++i) slice(k * i / slices, k * (i + 1) / slices);
}

/// For some processors GCC would load v once more for each of its uses, and loads would become the bound. So
/// it may not know where v comes from.
GRADUS_AVX512_INLINE Lanes in_register(Lanes v) {
  asm("" : "+v"(v));
  return v;
}

}  // namespace gradus::kernels

#else
#define GRADUS_AVX512_KERNELS 0
#endif

namespace gradus {

/// Whether they are compiled into this library, and this processor can run them.
bool has_avx512_kernels();

}  // namespace gradus
