#pragma once

#include <gradus/autograd/parallel.hpp>

#include <algorithm>
#include <cstdint>

/// Loops over elements and rows, split among threads() if they are long enough.
namespace gradus {

/// The fewest elements per thread for which splitting a loop pays: some microseconds of work.
constexpr std::int64_t least_per_thread = 1 << 14;

/// The least number of items per range if each item has n elements.
constexpr std::int64_t grain(std::int64_t n) {
  return std::max<std::int64_t>(least_per_thread / std::max<std::int64_t>(n, 1), 1);
}

/// Calls work(begin, end) for ranges that make up [0, items). Each item has n elements.
template <class Work>
void for_each_range(std::int64_t items, std::int64_t n, const Work& work) {
  parallel_for(items, grain(n), work);
}

/// Calls row(r) for each of `rows` rows of n elements.
template <class Row>
void for_each_row(std::int64_t rows, std::int64_t n, const Row& row) {
  for_each_range(rows, n, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) row(r);
  });
}

}  // namespace gradus
