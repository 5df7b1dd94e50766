#pragma once

#include <vector>

namespace gradus::plot {

struct Point {
  double x, y;
};

/// Drops invisible points: of consecutive points in the same column of width `column`, keeps the first, last,
/// lowest and highest, in order. (M4 aggregation of Jugel et al., VLDB 2014.)
std::vector<Point> thin(const std::vector<Point>& points, double column);

}  // namespace gradus::plot
