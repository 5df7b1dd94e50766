#include <gradus/data/match_count.hpp>

#include "metrics/ratio.hpp"

namespace gradus::data {

MatchCount& MatchCount::operator+=(const MatchCount& other) {
  count += other.count;
  right += other.right;
  return *this;
}

double MatchCount::fraction() const { return ratio(right, count); }

}  // namespace gradus::data
