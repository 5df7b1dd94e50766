#pragma once

#include <gradus/autograd/shape.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "memory/storage.hpp"

namespace gradus {

using Strides = std::array<std::int64_t, Shape::max_rank>;

/// A view of values with any strides. Broadcasting, permuting and slicing change only the shape, the strides
/// and the first element. An axis stretched by broadcasting has stride 0.
template <class T>
struct View {
  T* data;
  Shape shape;
  Strides strides{};  // in elements

  /// This view broadcast to `to`, which may have more leading axes.
  View expanded(const Shape& to) const {
    View result{data, to, {}};
    const int added = to.rank() - shape.rank();
    for (int axis = added; axis < to.rank(); ++axis) {
      if (shape[axis - added] == to[axis])
        result.stride(axis) = strides[static_cast<std::size_t>(axis - added)];
    }
    return result;
  }

  /// Elements [begin, begin + size) of one axis.
  View narrowed(int axis, std::int64_t begin, std::int64_t size) const {
    return {data + begin * strides[static_cast<std::size_t>(axis)], shape.with(axis, size), strides};
  }

  /// A view whose axis k is axis `order[k]` of this view.
  View permuted(std::span<const int> order) const {
    View result = *this;
    for (int axis = 0; axis < shape.rank(); ++axis) {
      const int from = order[static_cast<std::size_t>(axis)];
      result.shape = result.shape.with(axis, shape[from]);
      result.stride(axis) = strides[static_cast<std::size_t>(from)];
    }
    return result;
  }

  /// This view with one axis in reverse order.
  View flipped(int axis) const {
    View result = *this;
    if (shape[axis] > 0) result.data += (shape[axis] - 1) * result.stride(axis);
    result.stride(axis) = -result.stride(axis);
    return result;
  }

  std::int64_t& stride(int axis) { return strides[static_cast<std::size_t>(axis)]; }
};

/// A view of contiguous values.
template <class T>
View<T> contiguous(T* data, const Shape& shape) {
  View<T> result{data, shape, {}};
  std::int64_t stride = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    result.stride(axis) = stride;
    stride *= shape[axis];
  }
  return result;
}

template <class T>
View<T> view(const Tensor& tensor) {
  return contiguous(raw<T>(tensor), tensor.shape());
}

/// A walk over the elements of `shape` in K views at once, row by row. Adjacent axes that are contiguous in
/// every view are joined, which makes the rows few and long.
template <std::size_t K>
struct Walk {
  int rank = 0;
  std::array<std::int64_t, Shape::max_rank> sizes{};
  std::array<Strides, K> strides{};     // strides of each view, per joined axis
  std::array<std::int64_t, K> first{};  // offset of the first element of each view

  Walk(const Shape& shape, const std::array<Strides, K>& original) {
    for (int from = 0; from < shape.rank(); ++from) {
      const auto axis = static_cast<std::size_t>(from);
      if (shape[from] == 1) continue;
      bool joins = rank > 0;
      for (std::size_t k = 0; k < K && joins; ++k) {
        joins = strides[k][last()] == original[k][axis] * shape[from];
      }
      if (!joins) sizes[static_cast<std::size_t>(rank++)] = 1;
      sizes[last()] *= shape[from];
      for (std::size_t k = 0; k < K; ++k) strides[k][last()] = original[k][axis];
    }
    if (rank == 0)
      sizes[static_cast<std::size_t>(rank++)] = shape.numel();  // a scalar is one row of one element
  }

  /// The distance between successive elements of a row of view k.
  std::int64_t step(std::size_t k) const { return strides[k][last()]; }

  /// The part of this walk that lies in [begin, end) of one joined axis.
  Walk part(int axis, std::int64_t begin, std::int64_t end) const {
    Walk result = *this;
    const auto a = static_cast<std::size_t>(axis);
    result.sizes[a] = end - begin;
    for (std::size_t k = 0; k < K; ++k) result.first[k] += begin * strides[k][a];
    return result;
  }

  /// Calls row(offsets, n) for rows, or pieces of rows, of n elements. In view k, a row or piece starts at
  /// offsets[k], and its elements are step(k) apart. An element of view 0 may be visited several times. The
  /// order of these visits does not depend on the pieces.
  template <class Row>
  void for_each_row(const Row& row) const {
    for (std::size_t axis = 0; axis <= last(); ++axis) {
      if (sizes[axis] == 0) return;
    }
    if (!turns()) return for_each_whole_row(row);
    for (std::int64_t i = 0; i < sizes[last()]; i += piece) {
      part(rank - 1, i, std::min(i + piece, sizes[last()])).for_each_whole_row(row);
    }
  }

 private:
  std::size_t last() const { return static_cast<std::size_t>(rank - 1); }

  static constexpr std::int64_t piece = 16;  // one cache line of f32; the fastest size measured

  // True for a transpose: rows are contiguous in view 0, but in another view the elements of a row are far
  // apart and the elements of a column are adjacent. A long row would then use one element of each cache
  // line, and the line would be evicted before the next row uses it.
  bool turns() const {
    if (rank < 2 || step(0) != 1) return false;
    for (std::size_t k = 1; k < K; ++k) {
      if (step(k) >= piece && strides[k][last() - 1] == 1) return true;
    }
    return false;
  }

  template <class Row>
  void for_each_whole_row(const Row& row) const {
    std::array<std::int64_t, K> offsets = first;
    std::array<std::int64_t, Shape::max_rank> index{};
    const std::int64_t n = sizes[last()];
    while (true) {
      row(offsets, n);
      int axis = rank - 2;
      for (; axis >= 0; --axis) {
        const auto a = static_cast<std::size_t>(axis);
        for (std::size_t k = 0; k < K; ++k) offsets[k] += strides[k][a];
        if (++index[a] < sizes[a]) break;
        for (std::size_t k = 0; k < K; ++k) offsets[k] -= strides[k][a] * sizes[a];
        index[a] = 0;
      }
      if (axis < 0) return;
    }
  }
};

}  // namespace gradus
