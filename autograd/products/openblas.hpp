#pragma once

#include <string>

namespace gradus {

/// The processor's vector instructions that decide between OpenBLAS kernels.
struct ProcessorFeatures {
  bool avx512;  ///< F, BW, DQ and VL
  bool avx2;    ///< AVX2 and FMA
};
ProcessorFeatures processor_features();

/// The OpenBLAS kernels to use instead of `current`, or "" to keep `current`. OpenBLAS 0.3.21 does not
/// recognise newer processors, and runs SSE3 kernels on them at a fifth of the possible speed.
std::string better_kernels(const std::string& current, ProcessorFeatures features);

}  // namespace gradus
