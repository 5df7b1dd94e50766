#include "packed_matrix.hpp"

#include <type_traits>

#include "kernels/ranges.hpp"
#include "memory/storage.hpp"

namespace gradus {
namespace {

// Writes the transpose of b (n, k) to `to` (k, n). Copies block by block, so that the cache lines of both
// matrices stay in L1.
template <class T>
void transpose(std::int64_t k, std::int64_t n, Rows<const T> b, T* to) {
  constexpr std::int64_t side = 16;
  for_each_range((k + side - 1) / side, side * n, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t first = begin * side; first < end * side; first += side) {
      const std::int64_t last = std::min(first + side, k);
      for (std::int64_t j = 0; j < n; j += side) {
        for (std::int64_t i = j; i < std::min(j + side, n); ++i) {
          for (std::int64_t l = first; l < last; ++l) to[l * n + i] = b.data[i * b.stride + l];
        }
      }
    }
  });
}

}  // namespace

template <class T>
PackedMatrix<T>::PackedMatrix(Layout layout, std::int64_t k, std::int64_t n, Rows<const T> b)
    : k_(k), n_(n), b_(b) {
  if constexpr (std::is_same_v<T, float>) {
    if (bf16::rounds_weights(n, k)) {
      rounded_ = std::make_shared<const bf16::Packed>(layout, k, n, b);
      return;
    }
  }
  if (layout == Layout::plain) return;
  copy_ = empty({k, n}, dtype_of<T>);
  transpose(k, n, b, raw<T>(copy_));
  b_ = {raw<T>(copy_), n};
}

template <class T>
void PackedMatrix<T>::multiply(std::int64_t m, Rows<const T> a, Addend<T> addend, Rows<T> c) const {
  if constexpr (std::is_same_v<T, float>) {
    if (rounded_) return rounded_->multiply(m, a, addend, c);
  }
  gemm<T>(Layout::plain, Layout::plain, m, n_, k_, a, b_, addend, c);
}

template class PackedMatrix<float>;
template class PackedMatrix<double>;

}  // namespace gradus
