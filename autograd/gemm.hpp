#pragma once

#include <cstdint>

namespace gradus {

/// How a matrix operand is stored: as it is used, or transposed.
enum class Layout { plain, transposed };

/// C ← A·B + β·C for A (m, k), B (k, n), C (m, n): contiguous row-major matrices, of which A is stored as (k,
/// m) and B as (n, k) when transposed. T is float or double. The one door to the linear algebra library.
template <class T>
void gemm(Layout a_layout, Layout b_layout, std::int64_t m, std::int64_t n, std::int64_t k, const T* a,
          const T* b, T beta, T* c);

}  // namespace gradus
