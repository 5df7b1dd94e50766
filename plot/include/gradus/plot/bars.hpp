#pragma once

#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::plot {

/// One value a group, in one colour.
struct BarSeries {
  std::string name{};  ///< its name in the legend; empty: not in the legend
  std::vector<double> values{};
};

/// Bars in groups: accuracy by length, one bar a model.
struct GroupedBars {
  std::string title{}, x_label{}, y_label{};
  std::vector<std::string> groups{};
  std::vector<BarSeries> series{};
  double y_min = 0,
         y_max = 1;  ///< the ends of the y axis; bars start at 0 if it lies between them, else at y_min
};

/// Draws `bars` as one SVG, in light and dark colours, with a tooltip a bar (name, group: value).
///
/// Values stand above their bars if there is room, upright or turned. A bar that leaves [y_min, y_max] is cut
/// there, its printed value is not. NaN is missing: a cross instead of a bar.
///
/// Throws Error if there is no group or no series, if a series does not have one value a group, or unless
/// y_min < y_max, both finite.
std::string svg(const GroupedBars& bars);

}  // namespace gradus::plot
#pragma GCC visibility pop
