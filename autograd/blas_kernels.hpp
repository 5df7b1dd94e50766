#pragma once

#include <gradus/autograd/runtime.hpp>

#include <string>

namespace gradus {

/// What the processor can do, as far as the choice of kernels goes.
struct ProcessorFeatures {
  bool avx512;  ///< F, BW, DQ and VL
  bool avx2;    ///< AVX2 and FMA
};
ProcessorFeatures processor_features();

/// The OpenBLAS kernels to change to, or "" to leave `current` as they are. OpenBLAS 0.3.21 does not know
/// processors newer than itself and runs kernels for SSE3 on them, at a fifth of their speed.
std::string better_kernels(const std::string& current, ProcessorFeatures features);

/// Fills in the blas fields, and prints their warning, if there is one, on stderr the first time.
void describe_blas(BuildInfo& info);
void warn_once_of_slow_kernels();

}  // namespace gradus
