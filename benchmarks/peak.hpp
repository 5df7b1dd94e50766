#pragma once

#include "measure.hpp"

namespace bench {

/// The best rate of a single-precision product on `options.threads` threads, in GFLOP/s: the maximum over
/// `products` (limited to 2³³ multiply-adds each) of OpenBLAS and gradus::matmul.
double sgemm_peak(const Options& options);

}  // namespace bench
