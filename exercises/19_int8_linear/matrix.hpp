#pragma once

#include <cstdint>
#include <vector>

namespace int8 {

/// W_ij ≈ s_i q_ij, for W (rows, columns).
struct Matrix {
  std::int64_t rows = 0, columns = 0;
  std::vector<std::int8_t> q;  ///< row-major, each from −127 to 127
  std::vector<double> s;       ///< one scale per row, at least 0
};

}  // namespace int8
