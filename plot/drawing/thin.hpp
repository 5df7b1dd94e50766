#pragma once

#include <vector>

namespace gradus::plot {

struct Point {
  double x, y;
};

/// Drops points that cannot be seen. Divides the width into columns of width `column`. Among consecutive
/// points in the same column, keeps the first, last, lowest and highest, in order (M4 aggregation of Jugel et
/// al., VLDB 2014).
std::vector<Point> thin(const std::vector<Point>& points, double column);

}  // namespace gradus::plot
