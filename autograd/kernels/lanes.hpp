#pragma once

#include <gradus/autograd/shape.hpp>

#include <cstdint>

namespace gradus {

/// The lanes of a contiguous tensor along one axis. If the tensor is viewed as (outer, n, inner), each of its
/// outer · inner lanes has n elements that are `inner` apart.
struct Lanes {
  std::int64_t outer = 1, n = 1, inner = 1;

  Lanes(const Shape& shape, int axis) : n(shape[axis]) {
    for (int before = 0; before < axis; ++before) outer *= shape[before];
    for (int after = axis + 1; after < shape.rank(); ++after) inner *= shape[after];
  }

  /// Calls lane(k, first) with the number of each lane and the offset of its first element.
  template <class Lane>
  void for_each(Lane lane) const {
    for (std::int64_t k = 0; k < outer * inner; ++k) lane(k, k / inner * n * inner + k % inner);
  }
};

}  // namespace gradus
