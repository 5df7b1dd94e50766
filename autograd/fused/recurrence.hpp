#pragma once

#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/packing.hpp>
#include <gradus/autograd/parallel.hpp>
#include <gradus/autograd/precision.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/autograd/tape.hpp>
#include <gradus/autograd/tensor.hpp>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "kernels/long_sum.hpp"
#include "kernels/ranges.hpp"
#include "memory/storage.hpp"
#include "products/gemm.hpp"
#include "products/packed_matrix.hpp"
#include "products/packed_weights.hpp"
#include "products/product.hpp"
#include "products/weight_product.hpp"

/// Code shared by the fused recurrences over packed sequences.
namespace gradus {

/// True if an operation on these inputs is recorded. If so, the forward pass must store values for backward.
inline bool keeps_tape(std::span<const Tensor> inputs) {
  return is_recording() && std::any_of(inputs.begin(), inputs.end(), [](const Tensor& input) {
           return input.defined() && input.requires_grad();
         });
}

/// Splits the sequences, ordered by rank (see Packing), into ranges, and calls work(first, last) for the
/// ranges in parallel. Sequences are independent, so each thread runs its range through all steps without
/// barriers. Each thread reads all weights, `weight_bytes` bytes, at every step. If the weights do not fit in
/// a core's cache, there is only one range, and the threads split its large products.
template <class Work>
void for_each_rank_range(const Packing& packing, std::int64_t weight_bytes, const Work& work) {
  constexpr std::int64_t fewest = 8;  // sequences per range: products with fewer rows are slow
  const std::int64_t parts = weight_bytes > cached_weight_bytes
                                 ? 1
                                 : std::clamp<std::int64_t>(packing.batch() / fewest, 1, team::available());
  const std::vector<std::int64_t> bounds = packing.split(parts);
  parallel_tasks(parts, [&](std::int64_t part) {
    const auto p = static_cast<std::size_t>(part);
    if (bounds[p] < bounds[p + 1]) work(bounds[p], bounds[p + 1]);
  });
}

/// The packed rows of step t for ranks [first, last).
struct StepRows {
  std::int64_t offset, size;
  StepRows(const Packing& packing, std::int64_t t, std::int64_t first, std::int64_t last)
      : offset(packing.offset(t) + first), size(std::min(packing.batch_size(t), last) - first) {
    size = std::max<std::int64_t>(size, 0);
  }
};

/// The matrix B (k, n) of a product x·B that runs at every step. B consists of columns [first, first +
/// columns) of a weight, or is the transpose of these columns. If the weight has a WeightProduct and B is
/// such a transpose, the WeightProduct computes x·B, and B is not packed. Otherwise B is packed if there are
/// at least PackedMatrix::fewest_rows sequences, and one of two conditions holds: there are at least 4 steps,
/// or this thread's PackWeights packs the weight.
template <class T>
class StepMatrix {
 public:
  StepMatrix(Layout layout, const Tensor& weight, std::int64_t first, std::int64_t columns,
             const Packing& packing)
      : layout_(layout),
        k_(layout == Layout::plain ? weight.size(0) : columns),
        n_(layout == Layout::plain ? columns : weight.size(0)),
        b_{raw<T>(weight) + first, weight.size(1)},
        first_(first),
        weight_(weight),
        product_(layout == Layout::transposed ? weight_product(weight) : nullptr) {
    if (product_) return;
    if (packing.batch() < PackedMatrix<T>::fewest_rows) return;
    packed_ = packed_weight<T>(layout, weight, first, columns);
    if (!packed_ && packing.steps() >= 4) {
      packed_ = std::make_shared<const PackedMatrix<T>>(layout, k_, n_, b_);
    }
  }
  /// The whole weight.
  StepMatrix(Layout layout, const Tensor& weight, const Packing& packing)
      : StepMatrix(layout, weight, 0, weight.size(1), packing) {}

  /// y ← x·B + β·D for x (m, k), y (m, n).
  void multiply(std::int64_t m, Rows<const T> x, Addend<T> addend, Rows<T> y) const {
    if (product_) return gradus::multiply(*product_, m, x, weight_, first_, k_, addend, y);
    if (packed_) return packed_->multiply(m, x, addend, y);
    const MixedPrecision as_on_caller(precision_);
    gemm<T>(Layout::plain, layout_, m, n_, k_, x, b_, addend, y);
  }
  /// y ← x·B + y.
  void add(std::int64_t m, Rows<const T> x, Rows<T> y) const { multiply(m, x, {T(1), y}, y); }

 private:
  Layout layout_;
  std::int64_t k_, n_;
  Rows<const T> b_;
  std::int64_t first_;
  Tensor weight_;  // keeps the values of b_ alive; its offset and shape select rows of product_
  std::shared_ptr<const WeightProduct> product_;
  Precision precision_ = precision();  // the constructing thread's; also used when other threads multiply
  std::shared_ptr<const PackedMatrix<T>> packed_;
};

/// Calls step(t) for every step in ascending order, or in descending order if `reverse`.
template <class Step>
void for_each_step(const Packing& packing, bool reverse, Step step) {
  for (std::int64_t i = 0; i < packing.steps(); ++i) step(reverse ? packing.steps() - 1 - i : i);
}

/// Copies ranks [first, last) from rows (B, width) in batch order to (last − first, width) in rank order.
template <class T>
void copy_to_ranks(const Packing& packing, std::int64_t first, std::int64_t last, std::int64_t width,
                   const T* of_batch, T* of_ranks) {
  for (std::int64_t r = first; r < last; ++r) {
    std::copy_n(of_batch + packing.sequence(r) * width, width, of_ranks + (r - first) * width);
  }
}
/// The inverse of copy_to_ranks.
template <class T>
void copy_from_ranks(const Packing& packing, std::int64_t first, std::int64_t last, std::int64_t width,
                     const T* of_ranks, T* of_batch) {
  for (std::int64_t r = first; r < last; ++r) {
    std::copy_n(of_ranks + (r - first) * width, width, of_batch + packing.sequence(r) * width);
  }
}

/// y += the sum of the rows of x (n, width).
template <class T>
void sum_rows(std::int64_t n, std::int64_t width, Rows<const T> x, T* __restrict y) {
  kernels::add_halves(0, n, width, y, [&](std::int64_t begin, std::int64_t end, T* __restrict sum) {
    for (std::int64_t row = begin; row < end; ++row) {
      for (std::int64_t i = 0; i < width; ++i) sum[i] += x.data[row * x.stride + i];
    }
  });
}

}  // namespace gradus
