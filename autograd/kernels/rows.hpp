#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "math.hpp"

/// What several operations do to one row.
namespace gradus {

/// The largest of n values, −∞ when there are none; a NaN is passed over.
template <class T>
T max_of(std::int64_t n, const T* x) {
  constexpr int lanes = 32;  // with 16, GCC unrolls the loop instead of vectorising it
  T partial[lanes];
  std::fill_n(partial, lanes, -std::numeric_limits<T>::infinity());
  const auto larger = [](T a, T b) { return a > b ? a : b; };  // std::max's references would not vectorise
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (int lane = 0; lane < lanes; ++lane) partial[lane] = larger(x[i + lane], partial[lane]);
  }
  T largest = partial[0];
  for (; i < n; ++i) largest = larger(x[i], largest);
  for (const T value : partial) largest = larger(value, largest);
  return largest;
}

/// e_i = exp(x_i − shift) for i < n, and their sum; e may be x.
template <class T>
T exponentials(std::int64_t n, const T* x, T shift, T* e) {
  constexpr std::int64_t most = 256;
  T block[most];  // overlaps nothing, without which the loop would not vectorise
  T total = 0;
  for (std::int64_t begin = 0; begin < n; begin += most) {
    const std::int64_t size = std::min(most, n - begin);
    for (std::int64_t i = 0; i < size; ++i) block[i] = math::exp(x[begin + i] - shift);
    total += math::sum_of<T>(size, [&](std::int64_t i) { return block[i]; });
    std::copy_n(block, size, e + begin);
  }
  return total;
}

}  // namespace gradus
