#pragma once

#include <gradus/nn/optimiser.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gradus::nn {

/// Calls f(θ, g, averages, n) for each block of elements to update. θ, g and averages(k) point to n values in
/// the parameter's precision. A rule first rounds its constants to this precision. Its loop then uses only
/// one type, so the compiler can vectorise it.
///
/// All threads have read θ since the last update, so other cores hold copies of its cache lines. A write must
/// invalidate these copies. Prefetching the next block for writing hides this cost.
template <class F>
void with_values(const char* by, Update& update, F f) {
  const auto call = [&]<class T>() {
    constexpr std::int64_t block = 512, line = 64 / sizeof(T);
    T* const theta = update.parameter.mutable_values<T>(by).data();
    const T* const g = update.gradient.values<T>().data();
    std::vector<T*> averages;
    for (Tensor& average : update.averages) averages.push_back(average.mutable_values<T>(by).data());
    for (std::int64_t first = update.begin; first < update.end; first += block) {
      const std::int64_t last = std::min(first + block, update.end);
      for (std::int64_t i = last; i < std::min(last + block, update.end); i += line) {
        __builtin_prefetch(theta + i, 1);
      }
      const auto of_block = [&](std::size_t k) { return averages[k] + first; };
      f(theta + first, g + first, of_block, last - first);
    }
  };
  update.parameter.dtype() == Dtype::f32 ? call.template operator()<float>()
                                         : call.template operator()<double>();
}

}  // namespace gradus::nn
