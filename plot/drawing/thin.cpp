#include "drawing/thin.hpp"

#include <algorithm>
#include <cmath>

namespace gradus::plot {

std::vector<Point> thin(const std::vector<Point>& points, double column) {
  const auto below = [](const Point& a, const Point& b) { return a.y < b.y; };
  std::vector<Point> kept;
  for (auto first = points.begin(); first != points.end();) {
    const double here = std::floor(first->x / column);
    const auto end =
        std::find_if(first, points.end(), [&](const Point& p) { return std::floor(p.x / column) != here; });
    const auto [lowest, highest] = std::minmax_element(first, end, below);
    auto previous = points.end();
    for (const auto point : {first, std::min(lowest, highest), std::max(lowest, highest), end - 1}) {
      if (point != previous) kept.push_back(*point);
      previous = point;
    }
    first = end;
  }
  return kept;
}

}  // namespace gradus::plot
