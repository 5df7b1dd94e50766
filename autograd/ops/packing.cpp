#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/packing.hpp>
#include <gradus/autograd/tape.hpp>

#include <algorithm>
#include <numeric>

#include "kernels/dispatch.hpp"
#include "kernels/math.hpp"
#include "kernels/ranges.hpp"
#include "memory/storage.hpp"

namespace gradus {

Packing::Packing(const Tensor& lengths) {
  if (lengths.rank() != 1) fail("Packing", "the lengths are ", lengths.shape(), " and must be (B)");
  check_integers("Packing", "the lengths", lengths);
  const auto length = lengths.values<std::int64_t>();
  for (const std::int64_t one : length) {
    if (one < 0) fail("Packing", "length ", one, " is negative");
  }
  order_.resize(length.size());
  std::iota(order_.begin(), order_.end(), 0);
  std::stable_sort(order_.begin(), order_.end(), [&](std::int64_t a, std::int64_t b) {
    return length[static_cast<std::size_t>(a)] > length[static_cast<std::size_t>(b)];
  });
  offsets_.push_back(0);
  for (std::size_t running = order_.size(); true; offsets_.push_back(offsets_.back() + batch_sizes_.back())) {
    while (running > 0 && length[static_cast<std::size_t>(order_[running - 1])] <= steps()) --running;
    if (running == 0) break;
    batch_sizes_.push_back(static_cast<std::int64_t>(running));
  }
  padded_ = rows() == steps() * batch();  // equal lengths stay in batch order: the sort is stable
}

Packing::Packing(std::int64_t steps, std::int64_t batch) : padded_(true) {
  if (steps < 0 || batch < 0) {
    fail("Packing", "needs steps and a batch of at least 0, and got ", steps, " and ", batch);
  }
  order_.resize(static_cast<std::size_t>(batch));
  std::iota(order_.begin(), order_.end(), 0);
  batch_sizes_.assign(static_cast<std::size_t>(steps), batch);
  for (std::int64_t t = 0; t <= steps; ++t) offsets_.push_back(t * batch);
}

std::int64_t Packing::length(std::int64_t r) const {  // counts the steps with more than r sequences
  return std::partition_point(batch_sizes_.begin(), batch_sizes_.end(),
                              [r](std::int64_t size) { return size > r; }) -
         batch_sizes_.begin();
}

Tensor Packing::lengths() const {
  std::vector<std::int64_t> all(order_.size());
  for (std::int64_t r = 0; r < batch(); ++r) all[static_cast<std::size_t>(sequence(r))] = length(r);
  return tensor(all, {batch()});
}

std::vector<std::int64_t> Packing::split(std::int64_t parts) const {
  std::vector<std::int64_t> bounds{0};
  std::int64_t rank = 0, done = 0;
  for (std::int64_t part = 1; part < parts; ++part) {
    while (rank < batch() && done * parts < rows() * part) {
      done += length(rank);
      ++rank;
    }
    bounds.push_back(rank);
  }
  bounds.push_back(batch());
  return bounds;
}

namespace {

// Calls row(packed, padded) for every packed row: `packed` is its index, `padded` its index among the T·B
// padded rows.
template <class Row>
void for_each_packed(const Packing& packing, std::int64_t width, Row row) {
  for (std::int64_t t = 0; t < packing.steps(); ++t) {
    for_each_range(packing.batch_size(t), width, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) {
        row(packing.offset(t) + r, t * packing.batch() + packing.sequence(r));
      }
    });
  }
}

// The number of elements in a row. The first `axes` axes are the index of a row.
std::int64_t width_after(const Tensor& x, int axes) {
  std::int64_t width = 1;
  for (int axis = axes; axis < x.rank(); ++axis) width *= x.size(axis);
  return width;
}

}  // namespace

Tensor pack(const Tensor& x, const Packing& packing) {
  if (x.rank() < 2 || x.size(0) < packing.steps() || x.size(1) != packing.batch()) {
    fail("pack", "the sequences are ", x.shape(), " and must be (T, ", packing.batch(),
         ", …) with T of at least ", packing.steps());
  }
  const Shape shape = x.shape().without(0).with(0, packing.rows());
  if (packing.is_padded() && x.size(0) == packing.steps()) return x.reshape(shape);
  const std::int64_t width = width_after(x, 2);
  Tensor y = empty(shape, x.dtype());
  for_any("pack", x.dtype(), [&]<class T>() {
    for_each_packed(packing, width, [&](std::int64_t packed, std::int64_t padded) {
      std::copy_n(raw<T>(x) + padded * width, width, raw<T>(y) + packed * width);
    });
  });
  return record("pack", y, {x}, {}, typed([packing, width]<class T>(Gradients& g) {
                  T* const into = raw<T>(g.in(0));
                  for_each_packed(packing, width, [&](std::int64_t packed, std::int64_t padded) {
                    math::add(width, raw<T>(g.out()) + packed * width, into + padded * width);
                  });
                }));
}

Tensor unpack(const Tensor& x, const Packing& packing, std::int64_t steps) {
  if (x.rank() < 1 || x.size(0) != packing.rows()) {
    fail("unpack", "the packed sequences are ", x.shape(), " and must be (", packing.rows(), ", …)");
  }
  if (steps == 0) steps = packing.steps();
  if (steps < packing.steps()) {
    fail("unpack", "cannot pad to ", steps, " steps: the longest sequence has ", packing.steps());
  }
  const Shape shape = x.shape().with(0, packing.batch()).inserted(0, steps);
  if (packing.is_padded() && steps == packing.steps()) return x.reshape(shape);
  const std::int64_t width = width_after(x, 1);
  Tensor y = zeros(shape, x.dtype());
  for_any("unpack", x.dtype(), [&]<class T>() {
    for_each_packed(packing, width, [&](std::int64_t packed, std::int64_t padded) {
      std::copy_n(raw<T>(x) + packed * width, width, raw<T>(y) + padded * width);
    });
  });
  return record("unpack", y, {x}, {}, typed([packing, width]<class T>(Gradients& g) {
                  g.accumulate(0, [&](const Tensor& at_x, int beta) {
                    for_each_packed(packing, width, [&](std::int64_t packed, std::int64_t padded) {
                      const T* const from = raw<T>(g.out()) + padded * width;
                      T* const into = raw<T>(at_x) + packed * width;
                      beta == 0 ? void(std::copy_n(from, width, into)) : math::add(width, from, into);
                    });
                  });
                }));
}

}  // namespace gradus
