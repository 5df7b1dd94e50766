#pragma once

#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::plot {

/// One named line through the points (x[i], y[i]), joined in the order given.
struct Series {
  std::string name{};  ///< its name in the legend; empty: not in the legend
  std::vector<double> x{}, y{};
};

/// Lines over shared axes: losses, learning rates, norms.
struct Curves {
  std::string title{}, x_label{}, y_label{};
  std::vector<Series> series{};
  bool log_y = false;  ///< a logarithmic y axis
};

/// Draws `curves` as one SVG with a grid, round ticks and a legend, in light and dark colours.
///
/// A point that is NaN or infinite leaves a gap, and so does one that is not above 0 on a logarithmic axis.
/// Of thousands of points only those that show are kept: per two pixels of width the first, the last, the
/// lowest and the highest, so that no peak is lost. Up to 40 points, each has a dot with a tooltip (name: x,
/// y).
///
/// Throws Error if there is no series, if one is empty, or if its x and y differ in size.
std::string svg(const Curves& curves);

}  // namespace gradus::plot
#pragma GCC visibility pop
