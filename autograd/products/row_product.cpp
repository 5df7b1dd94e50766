#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/parallel.hpp>
#include <gradus/autograd/row_product.hpp>

#include <algorithm>
#include <array>
#include <cstring>

#include "kernels/clones.hpp"

namespace gradus {
namespace {

constexpr std::int64_t width = 32;  // columns of a panel
constexpr int most_at_once = 12;    // number of rows of x whose sums fit in registers at the same time

using Lanes [[gnu::vector_size(64)]] = float;

// The address of the next panel, which is prefetched while the current panel is multiplied. With few rows of
// x, the product would otherwise wait for the weights. Each block of x's rows prefetches a part of the next
// panel.
struct Ahead {
  const char* from;
  std::int64_t step;  // bytes per row of the panel
};

// Multiplies x (rows, K) by one panel (K, 32). Writes the product to `sums` (rows, 32).
template <int rows>
[[gnu::always_inline]] inline void sum_rows(std::int64_t K, const float* x, std::int64_t stride,
                                            const float* panel, Ahead ahead, std::array<float, width>* sums) {
  Lanes left[rows] = {}, right[rows] = {};
  for (std::int64_t l = 0; l < K; ++l, panel += width) {
    __builtin_prefetch(ahead.from + l * ahead.step, 0, 2);
    Lanes a, b;
    std::memcpy(&a, panel, sizeof a);
    std::memcpy(&b, panel + width / 2, sizeof b);
    for (int r = 0; r < rows; ++r) {
      left[r] += x[r * stride + l] * a;
      right[r] += x[r * stride + l] * b;
    }
  }
  for (int r = 0; r < rows; ++r) {
    std::memcpy(sums[r].data(), &left[r], sizeof left[r]);
    std::memcpy(sums[r].data() + width / 2, &right[r], sizeof right[r]);
  }
}

// Calls sum_rows<rows>. `rows` may be any number up to most_at_once.
GRADUS_CLONES void sum(std::int64_t rows, std::int64_t K, const float* x, std::int64_t stride,
                       const float* panel, Ahead ahead, std::array<float, width>* sums) {
  switch (rows) {
    case 1:
      return sum_rows<1>(K, x, stride, panel, ahead, sums);
    case 2:
      return sum_rows<2>(K, x, stride, panel, ahead, sums);
    case 3:
      return sum_rows<3>(K, x, stride, panel, ahead, sums);
    case 4:
      return sum_rows<4>(K, x, stride, panel, ahead, sums);
    case 5:
      return sum_rows<5>(K, x, stride, panel, ahead, sums);
    case 6:
      return sum_rows<6>(K, x, stride, panel, ahead, sums);
    case 7:
      return sum_rows<7>(K, x, stride, panel, ahead, sums);
    case 8:
      return sum_rows<8>(K, x, stride, panel, ahead, sums);
    case 9:
      return sum_rows<9>(K, x, stride, panel, ahead, sums);
    case 10:
      return sum_rows<10>(K, x, stride, panel, ahead, sums);
    case 11:
      return sum_rows<11>(K, x, stride, panel, ahead, sums);
    default:
      return sum_rows<most_at_once>(K, x, stride, panel, ahead, sums);
  }
}

// The number of rows of x per block. With AVX-512, the registers hold the sums of 12 rows, so each row of the
// panel is loaded once for 12 rows. Other processors have fewer or narrower registers, and use blocks of 6
// rows.
std::int64_t rows_of_block() {
#if defined(__x86_64__)
  static const bool has_avx512 = __builtin_cpu_supports("avx512f") != 0;
  return has_avx512 ? most_at_once : most_at_once / 2;
#else
  return most_at_once / 2;
#endif
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
  // The sizes of the blocks differ by at most one row: a block of one row would take as long as a block of
  // three.
  const std::int64_t most = rows_of_block(), blocks = (m + most - 1) / most;
  const std::int64_t step = width * std::int64_t{sizeof(float)} / std::max<std::int64_t>(blocks, 1);
  constexpr std::int64_t least_work = 1 << 17;  // number of multiply-adds for which a second thread pays
  parallel_for(
      panels, 1 + least_work / (1 + m * part.columns * width), [&](std::int64_t from, std::int64_t to) {
        std::array<std::array<float, width>, most_at_once> sums;
        for (std::int64_t p = first_panel + from; p < first_panel + to; ++p) {
          const float* const panel = panels_.data() + (p * K_ + part.column) * width;
          const auto* const ahead =
              reinterpret_cast<const char*>(panel + (p + 1 < first_panel + to ? K_ * width : 0));
          const std::int64_t low = std::max(begin, p * width), high = std::min(end, (p + 1) * width);
          for (std::int64_t block = 0; block < blocks; ++block) {
            const std::int64_t row = m * block / blocks, rows = m * (block + 1) / blocks - row;
            sum(rows, part.columns, x + row * x_stride, x_stride, panel,
                {ahead + block * part.columns * step, step}, sums.data());
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
