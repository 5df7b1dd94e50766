#pragma once

#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::plot {

/// One value per group, in one colour.
struct BarSeries {
  std::string name{};  ///< in the legend; omitted if empty
  std::vector<double> values{};
};

/// Grouped bars, for example accuracy by length with one bar per model.
struct GroupedBars {
  std::string title{}, x_label{}, y_label{};
  std::vector<std::string> groups{};
  std::vector<BarSeries> series{};
  double y_min = 0,
         y_max = 1;  ///< ends of the y axis; bars start at 0 or, if 0 is outside, at the end next to 0
};

/// Draws `bars` as one SVG, in light and dark colours, with a tooltip per bar (name, group: value).
///
/// If there is room, values are printed above the bars (below a bar that points down), horizontally or turned
/// by 90°. Bars are clipped to [y_min, y_max]; printed values are not. NaN stands for a missing value, and is
/// drawn as a cross. A group without a name is left blank, which separates its neighbours.
///
/// Throws Error if there are no groups or no series, or if a series does not have one value per group. Also
/// throws unless y_min and y_max are finite and y_min < y_max.
std::string svg(const GroupedBars& bars);

}  // namespace gradus::plot
#pragma GCC visibility pop
