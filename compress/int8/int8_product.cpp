#include "int8/int8_product.hpp"

#include <gradus/autograd/parallel.hpp>

#include <algorithm>
#include <utility>

namespace gradus::compress {
namespace {

// oneDNN generates code for each number of rows of x. Therefore x is split into blocks of most_rows rows, and
// the last block is padded to one of a few sizes.
constexpr std::int64_t most_rows = 256;

std::int64_t padded_rows(std::int64_t m) {
  return m <= 1 ? m : m <= 16 ? 16 : m <= 32 ? 32 : (m + 63) / 64 * 64;
}

// The weight is split into chunks of this many rows, which threads share. Chunks with few columns have more
// rows, because each call of oneDNN has a fixed cost.
std::int64_t chunk_rows(std::int64_t k) {
  return std::clamp<std::int64_t>((1 << 17) / std::max<std::int64_t>(k, 1), 512, 2048);
}

// True if oneDNN has int8 products, and is faster than the plain loop. For small products the loop is faster,
// because its calls have no fixed cost.
bool is_for_onednn(std::int64_t m, std::int64_t n, std::int64_t k) {
  return onednn::has_int8() && (m >= 4 || n * k >= 1 << 15);
}

// The rows of x in int8, for one call of multiply().
struct Quantised {
  std::vector<std::int8_t> values;  // (m, k), padded with rows of zeros
  std::vector<float> scales;
};

}  // namespace

Int8Product::Int8Product(nn::Int8Matrix matrix) : matrix_(std::move(matrix)) {
  matrix_.values.resize(matrix_.values.size() + plain_padding);  // multiply_plain() reads beyond the last row
}

const onednn::Int8Weight& Int8Product::packed(const Part& part) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [known, weight] : packed_) {
    if (known == part) return *weight;
  }
  packed_.emplace_back(
      part, std::make_unique<onednn::Int8Weight>(
                part.rows, part.columns, matrix_.values.data() + part.row * matrix_.columns + part.column,
                matrix_.columns));
  return *packed_.back().second;
}

void Int8Product::multiply(std::int64_t m, const float* x, std::int64_t x_stride, const Part& part,
                           const float* d, std::int64_t d_stride, float* y, std::int64_t y_stride) const {
  if (m == 0 || part.rows == 0) return;
  const std::int64_t n = part.rows, k = part.columns;
  Quantised p{std::vector<std::int8_t>(
                  static_cast<std::size_t>((m / most_rows * most_rows + padded_rows(m % most_rows)) * k)),
              std::vector<float>(static_cast<std::size_t>(m))};
  parallel_for(m, std::max<std::int64_t>(1, (1 << 15) / (k + 1)), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      p.scales[static_cast<std::size_t>(r)] = quantise_row(k, x + r * x_stride, p.values.data() + r * k);
    }
  });
  const std::int64_t chunk = chunk_rows(k), chunks = (n + chunk - 1) / chunk,
                     blocks = (m + most_rows - 1) / most_rows;
  const auto work = [&](std::int64_t task) {
    const std::int64_t first = task / chunks * most_rows, rows = std::min(m - first, most_rows);
    const std::int64_t column = task % chunks * chunk, columns = std::min(n - column, chunk);
    const Part piece{part.row + column, columns, part.column, k};
    thread_local std::vector<std::int32_t> sums;
    sums.resize(static_cast<std::size_t>(padded_rows(rows) * columns));
    const std::int8_t* const from = p.values.data() + first * k;
    if (is_for_onednn(rows, columns, k)) {
      packed(piece).multiply(padded_rows(rows), from, sums.data());
    } else {
      multiply_plain(rows, columns, k, from,
                     matrix_.values.data() + piece.row * matrix_.columns + piece.column, matrix_.columns,
                     sums.data());
    }
    for (std::int64_t r = 0; r < rows; ++r) {
      const std::int64_t row = first + r;
      scale_row(columns, sums.data() + r * columns, p.scales[static_cast<std::size_t>(row)],
                matrix_.scales.data() + piece.row, d == nullptr ? nullptr : d + row * d_stride + column,
                y + row * y_stride + column);
    }
  };
  if (m * n * k >= (m == 1 ? 1 << 20 : 1 << 23)) return parallel_tasks(chunks * blocks, work);
  for (std::int64_t task = 0; task < chunks * blocks; ++task) work(task);
}

}  // namespace gradus::compress
