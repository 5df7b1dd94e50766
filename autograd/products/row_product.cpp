#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/parallel.hpp>
#include <gradus/autograd/row_product.hpp>

#include <algorithm>
#include <array>
#include <cstring>

#include "kernels/clones.hpp"

// RowProduct. This kernel is not faster than a library. The library has it because the last bits of a row do
// not depend on the other rows (docs/decisions/products.md).
namespace gradus {
namespace {

constexpr std::int64_t width = 32;  // columns of a panel

// The address of the next panel, which is prefetched while the current panel is multiplied. With few rows of
// x, the product would otherwise wait for the weights. Each block of x's rows prefetches a part of the next
// panel.
struct Ahead {
  const char* from;
  std::int64_t step;  // `from` advances by this many bytes per row of the current panel
};

constexpr int most_rows = 12;  // the largest number of rows of x in a block
using Sums = std::array<std::array<float, width>, most_rows>;

using Vector4 [[gnu::vector_size(16)]] = float;
using Vector8 [[gnu::vector_size(32)]] = float;
using Vector16 [[gnu::vector_size(64)]] = float;
template <class Vector>
constexpr std::int64_t floats_in = sizeof(Vector) / sizeof(float);
// The number of rows whose sums fit in the registers: AVX-512 has 32 registers, other instruction sets have
// at least 16.
template <class Vector>
constexpr int block_rows = sizeof(Vector) == 64 ? most_rows : most_rows / 2;

// Multiplies x (rows, K) by some columns of a panel (K, 32): as many as fit in two registers, beginning with
// column `first`. These two registers hold the sums of one row of x.
template <class Vector, int rows>
[[gnu::always_inline]] inline void sum_columns(std::int64_t K, const float* x, std::int64_t stride,
                                               const float* panel, std::int64_t first, Ahead ahead,
                                               Sums& sums) {
  Vector left[rows] = {}, right[rows] = {};
  const float* from = panel + first;
  for (std::int64_t l = 0; l < K; ++l, from += width) {
    __builtin_prefetch(ahead.from + l * ahead.step, 0, 2);
    Vector a, b;
    std::memcpy(&a, from, sizeof a);
    std::memcpy(&b, from + floats_in<Vector>, sizeof b);
    for (int r = 0; r < rows; ++r) {
      left[r] += x[r * stride + l] * a;
      right[r] += x[r * stride + l] * b;
    }
  }
  for (int r = 0; r < rows; ++r) {
    float* const to = sums[static_cast<std::size_t>(r)].data() + first;
    std::memcpy(to, &left[r], sizeof left[r]);
    std::memcpy(to + floats_in<Vector>, &right[r], sizeof right[r]);
  }
}

// Writes the product of x (rows, K) and a panel to `sums`. `rows` may be any number up to `most`.
template <class Vector, int most>
[[gnu::always_inline]] inline void sum_rows(std::int64_t rows, std::int64_t K, const float* x,
                                            std::int64_t stride, const float* panel, Ahead ahead,
                                            Sums& sums) {
  if constexpr (most > 1) {
    if (rows < most) return sum_rows<Vector, most - 1>(rows, K, x, stride, panel, ahead, sums);
  }
  constexpr std::int64_t columns = 2 * floats_in<Vector>, turns = width / columns;
  ahead.step /= turns;
  for (std::int64_t first = 0; first < width; first += columns, ahead.from += K * ahead.step) {
    sum_columns<Vector, most>(K, x, stride, panel, first, ahead, sums);
  }
}

// sum_rows() for one kind of registers.
struct Kernel {
  std::int64_t most;  // block_rows<Vector>
  void (*sum)(std::int64_t rows, std::int64_t K, const float* x, std::int64_t stride, const float* panel,
              Ahead ahead, Sums& sums);
};

#if defined(__AVX512F__)
using Vector = Vector16;
#elif defined(__AVX__)
using Vector = Vector8;
#else
using Vector = Vector4;
#endif

void sum(std::int64_t rows, std::int64_t K, const float* x, std::int64_t stride, const float* panel,
         Ahead ahead, Sums& sums) {
  sum_rows<Vector, block_rows<Vector>>(rows, K, x, stride, panel, ahead, sums);
}

#if GRADUS_CLONED
[[gnu::target("arch=x86-64-v3")]] void sum_avx2(std::int64_t rows, std::int64_t K, const float* x,
                                                std::int64_t stride, const float* panel, Ahead ahead,
                                                Sums& sums) {
  sum_rows<Vector8, block_rows<Vector8>>(rows, K, x, stride, panel, ahead, sums);
}

[[gnu::target("arch=x86-64-v4")]] void sum_avx512(std::int64_t rows, std::int64_t K, const float* x,
                                                  std::int64_t stride, const float* panel, Ahead ahead,
                                                  Sums& sums) {
  sum_rows<Vector16, block_rows<Vector16>>(rows, K, x, stride, panel, ahead, sums);
}
#endif

// Each instruction set needs a version of the loop with vectors as wide as its registers: GCC 12 splits wider
// vectors, and the code is then about 30 times as slow. GRADUS_CLONES compiles the same vectors for every
// instruction set, so it cannot be used here.
const Kernel& kernel() {
  static const Kernel best = [] {
#if GRADUS_CLONED
    if (__builtin_cpu_supports("x86-64-v4")) return Kernel{block_rows<Vector16>, sum_avx512};
    if (__builtin_cpu_supports("x86-64-v3")) return Kernel{block_rows<Vector8>, sum_avx2};
#endif
    return Kernel{block_rows<Vector>, sum};
  }();
  return best;
}

}  // namespace

RowProduct::RowProduct(const Tensor& weight) : K_(0) {
  if (weight.rank() != 2 || weight.dtype() != Dtype::f32) {
    fail("RowProduct", "the weight is ", name(weight.dtype()), " ", weight.shape(),
         " and must be an f32 matrix");
  }
  const std::int64_t N = weight.size(0);
  K_ = weight.size(1);
  panels_.assign(static_cast<std::size_t>((N + width - 1) / width * width * K_), 0.0F);
  const std::span<const float> values = weight.values<float>();
  for (std::int64_t i = 0; i < N; ++i) {
    float* const column = panels_.data() + i / width * width * K_ + i % width;
    for (std::int64_t l = 0; l < K_; ++l) column[l * width] = values[static_cast<std::size_t>(i * K_ + l)];
  }
}

void RowProduct::multiply(std::int64_t m, const float* x, std::int64_t x_stride, const Part& part,
                          const float* d, std::int64_t d_stride, float* y, std::int64_t y_stride) const {
  const std::int64_t begin = part.row, end = part.row + part.rows;  // rows of W
  const std::int64_t first_panel = begin / width, panels = (end + width - 1) / width - first_panel;
  // The sizes of the blocks differ by at most one row, so that no block is very small: a block of one row
  // takes as long as a block of three.
  const std::int64_t most = kernel().most, blocks = (m + most - 1) / most;
  const std::int64_t step = width * std::int64_t{sizeof(float)} / std::max<std::int64_t>(blocks, 1);
  constexpr std::int64_t least_work = 1 << 17;  // number of multiply-adds for which a second thread pays
  parallel_for(
      panels, 1 + least_work / (1 + m * part.columns * width), [&](std::int64_t from, std::int64_t to) {
        Sums sums;
        for (std::int64_t p = first_panel + from; p < first_panel + to; ++p) {
          const float* const panel = panels_.data() + (p * K_ + part.column) * width;
          const auto* const ahead =
              reinterpret_cast<const char*>(panel + (p + 1 < first_panel + to ? K_ * width : 0));
          const std::int64_t low = std::max(begin, p * width), high = std::min(end, (p + 1) * width);
          for (std::int64_t block = 0; block < blocks; ++block) {
            const std::int64_t row = m * block / blocks, rows = m * (block + 1) / blocks - row;
            kernel().sum(rows, part.columns, x + row * x_stride, x_stride, panel,
                         {ahead + block * part.columns * step, step}, sums);
            for (std::int64_t r = 0; r < rows; ++r) {
              const float* const s = sums[static_cast<std::size_t>(r)].data() + (low - p * width);
              float* const out = y + (row + r) * y_stride + (low - begin);
              const float* const added = d == nullptr ? nullptr : d + (row + r) * d_stride + (low - begin);
              for (std::int64_t i = 0; i < high - low; ++i)
                out[i] = added == nullptr ? s[i] : s[i] + added[i];
            }
          }
        }
      });
}

}  // namespace gradus
