#pragma once

#include <vector>

namespace gradus::plot {

struct Point {
  double x, y;
};

/// The points without those that do not show: of neighbours whose x lies in the same column, `column` wide,
/// the first, the last, the lowest and the highest stay, in their order. (The M4 aggregation of Jugel et al.,
/// VLDB 2014.)
std::vector<Point> thin(const std::vector<Point>& points, double column);

}  // namespace gradus::plot
