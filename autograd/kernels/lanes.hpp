#pragma once

#include <gradus/autograd/shape.hpp>

#include <cstdint>

namespace gradus {

/// The lanes of a contiguous tensor along one axis. Viewed as (outer, n, inner), the tensor has outer · inner
/// lanes. Each lane has n elements that are `inner` apart.
struct Lanes {
  std::int64_t outer = 1, n = 1, inner = 1;

  Lanes(const Shape& shape, int axis) : n(shape[axis]) {
    for (int before = 0; before < axis; ++before) outer *= shape[before];
    for (int after = axis + 1; after < shape.rank(); ++after) inner *= shape[after];
  }

  /// Calls lane(k, first) for each lane: k is the lane's number, and `first` is the offset of its first
  /// element.
  template <class Lane>
  void for_each(Lane lane) const {
    for (std::int64_t k = 0; k < outer * inner; ++k) lane(k, k / inner * n * inner + k % inner);
  }
};

}  // namespace gradus
