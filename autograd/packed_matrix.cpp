#include "packed_matrix.hpp"

#include <gradus/autograd/parallel.hpp>

#include <algorithm>
#include <type_traits>

#include "kernels/packed.hpp"
#include "product.hpp"
#include "storage.hpp"

namespace gradus {
namespace {

// The largest B that is transposed.
constexpr std::int64_t most_transposed_bytes = 3 << 19;

#if GRADUS_AVX512_KERNELS
// work(first, last) for parts of n columns that begin where a panel does.
template <class Work>
void share_panels(std::int64_t n, std::int64_t most_parts, const Work& work) {
  constexpr std::int64_t width = kernels::packed::tile_columns;
  const std::int64_t panels = (n + width - 1) / width,
                     parts = std::clamp<std::int64_t>(panels, 1, most_parts);
  parallel_tasks(parts, [&](std::int64_t part) {
    work(panels * part / parts * width, std::min(panels * (part + 1) / parts * width, n));
  });
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
      share_panels(n, shares_of_product(k, n, 1), [&](std::int64_t first, std::int64_t last) {
        kernels::packed::pack_whole(layout, k, n, first, last, b, raw<float>(copy_));
      });
      return;
    }
  }
#endif
  if (layout == Layout::transposed && k * n * static_cast<std::int64_t>(sizeof(T)) <= most_transposed_bytes) {
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
void PackedMatrix<T>::multiply(std::int64_t m, Rows<const T> a, T beta, Rows<T> c) const {
#if GRADUS_AVX512_KERNELS
  if constexpr (std::is_same_v<T, float>) {
    if (is_packed_) {
      return share_panels(n_, shares_of_product(m, n_, k_), [&](std::int64_t first, std::int64_t last) {
        kernels::packed::multiply_packed(m, k_, n_, first, last, a, raw<float>(copy_), beta, c);
      });
    }
  }
#endif
  gemm<T>(Layout::plain, layout_, m, n_, k_, a, b_, beta, c);
}

template class PackedMatrix<float>;
template class PackedMatrix<double>;

}  // namespace gradus
