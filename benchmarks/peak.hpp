#pragma once

#include "measure.hpp"

namespace bench {

/// The highest rate of a single-precision product on `options.threads` threads, in GFLOP/s. Takes the maximum
/// over all `products`, by OpenBLAS and by gradus::matmul. Products are limited to 2³³ multiply-adds.
double sgemm_peak(const Options& options);

}  // namespace bench
