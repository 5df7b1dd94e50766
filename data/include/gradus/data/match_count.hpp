#pragma once

#include <cstdint>

#pragma GCC visibility push(default)
namespace gradus::data {

/// Correct and total counts.
struct MatchCount {
  std::int64_t count = 0, right = 0;

  void add(bool is_right) { count += 1, right += is_right; }
  MatchCount& operator+=(const MatchCount& other);

  double fraction() const;  ///< right / count, in [0, 1]; NaN if count is 0

  bool operator==(const MatchCount&) const = default;
};

}  // namespace gradus::data
#pragma GCC visibility pop
