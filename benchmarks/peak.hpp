#pragma once

#include "measure.hpp"

namespace bench {

/// The best rate of a single-precision product on `options.threads` threads, in GFLOP/s: among `products`
/// (those above 2³³ multiply-adds are cut down), each by OpenBLAS itself and by gradus::matmul.
double sgemm_peak(const Options& options);

}  // namespace bench
