#include "packed_matrix.hpp"

#include <gradus/autograd/parallel.hpp>

#include <algorithm>
#include <type_traits>

#include "kernels/packed.hpp"
#include "product.hpp"
#include "storage.hpp"

namespace gradus {
namespace {

#if GRADUS_AVX512_KERNELS
// work(first, last) for parts of [0, count) of about the same size.
template <class Work>
void share(std::int64_t count, std::int64_t most_parts, const Work& work) {
  const std::int64_t parts = std::clamp<std::int64_t>(count, 1, most_parts);
  parallel_tasks(parts, [&](std::int64_t part) { work(count * part / parts, count * (part + 1) / parts); });
}
#endif

}  // namespace

template <class T>
PackedMatrix<T>::PackedMatrix(Layout layout, std::int64_t k, std::int64_t n, Rows<const T> b)
    : k_(k),
      n_(n),
      layout_(layout),
      b_(b),
      is_packed_(std::is_same_v<T, float> && has_avx512_kernels() && k > 0) {
#if GRADUS_AVX512_KERNELS
  if constexpr (std::is_same_v<T, float>) {
    if (is_packed_) {
      copy_ = empty({kernels::packed::packed_size(k, n)}, Dtype::f32);
      constexpr std::int64_t width = kernels::tile_columns;
      share((n + width - 1) / width, shares_of_product(k, n, 1), [&](std::int64_t first, std::int64_t last) {
        kernels::packed::pack_whole(layout, k, n, first * width, std::min(last * width, n), b,
                                    raw<float>(copy_));
      });
      return;
    }
  }
#endif
  if (layout == Layout::transposed && k * n * static_cast<std::int64_t>(sizeof(T)) <= cached_weight_bytes) {
    copy_ = empty({k, n}, dtype_of<T>);
    T* const to = raw<T>(copy_);
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t l = 0; l < k; ++l) to[l * n + j] = b.data[j * b.stride + l];
    }
    b_ = {to, n};
    layout_ = Layout::plain;
  }
}

template <class T>
void PackedMatrix<T>::multiply(std::int64_t m, Rows<const T> a, Addend<T> addend, Rows<T> c) const {
#if GRADUS_AVX512_KERNELS
  if constexpr (std::is_same_v<T, float>) {
    if (is_packed_) {
      return share(kernels::packed::tiles_of(m, n_), shares_of_product(m, n_, k_),
                   [&](std::int64_t first, std::int64_t last) {
                     kernels::packed::multiply_packed(m, k_, n_, first, last, a, raw<float>(copy_), addend,
                                                      c);
                   });
    }
  }
#endif
  gemm<T>(Layout::plain, layout_, m, n_, k_, a, b_, addend, c);
}

template class PackedMatrix<float>;
template class PackedMatrix<double>;

}  // namespace gradus
