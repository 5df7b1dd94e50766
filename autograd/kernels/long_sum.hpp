#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace gradus::kernels {

/// The largest number of terms in a short sum, whose terms are added one after another. The rounding error of
/// such a sum grows with the number of terms.
constexpr std::int64_t long_sum = 4096;

/// target += x_begin + … + x_{end−1}, where target and each x_i have `width` elements. A long sum is divided
/// into halves. The sums of the halves are added, so each term takes part in at most
/// long_sum + log₂(end − begin) additions. add(begin, end, to) adds a short sum to `to`.
template <class T, class Add>
void add_halves(std::int64_t begin, std::int64_t end, std::int64_t width, T* target, const Add& add) {
  if (end - begin <= long_sum) return add(begin, end, target);
  const std::int64_t middle = begin + (end - begin) / 2;
  for (const auto& [first, last] : {std::pair(begin, middle), std::pair(middle, end)}) {
    std::vector<T> part(static_cast<std::size_t>(width));
    add_halves(first, last, width, part.data(), add);
    for (std::int64_t i = 0; i < width; ++i) target[i] += part[static_cast<std::size_t>(i)];
  }
}

}  // namespace gradus::kernels
