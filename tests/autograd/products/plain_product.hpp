// The product by three loops, which every faster product must match.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "products/gemm.hpp"

// The elements of op(matrix), row by row, in double. op(matrix) has the shape (rows, columns). In memory, the
// rows of `matrix` are `stride` elements apart.
template <class T>
std::vector<double> rows_of(const std::vector<T>& matrix, gradus::Layout layout, std::int64_t rows,
                            std::int64_t columns, std::int64_t stride) {
  std::vector<double> all;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      all.push_back(matrix[static_cast<std::size_t>(layout == gradus::Layout::plain ? i * stride + j
                                                                                    : j * stride + i)]);
    }
  }
  return all;
}

// The product A · B of A (m, k) and B (k, n), which are both stored row by row.
std::vector<double> plain_product(std::int64_t m, std::int64_t n, std::int64_t k,
                                  const std::vector<double>& a, const std::vector<double>& b);
