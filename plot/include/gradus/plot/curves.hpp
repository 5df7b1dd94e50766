#pragma once

#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::plot {

/// A line through the points (x[i], y[i]), in this order.
struct Series {
  std::string name{};  ///< in the legend; omitted if empty
  std::vector<double> x{}, y{};
};

/// Lines with shared axes: losses, learning rates, norms.
struct Curves {
  std::string title{}, x_label{}, y_label{};
  std::vector<Series> series{};
  bool log_y = false;  ///< a logarithmic y axis
};

/// Draws `curves` as one SVG with a grid, round ticks and a legend, in light and dark colours.
///
/// NaN and infinite values leave a gap, as do values not above 0 on a logarithmic axis. Long series are
/// thinned without losing peaks: per two pixels of width, only the first, last, lowest and highest point are
/// drawn. Series of up to 40 points have dots with tooltips (name: x, y).
///
/// Throws Error if there are no series, if one is empty, or if its x and y differ in size.
std::string svg(const Curves& curves);

}  // namespace gradus::plot
#pragma GCC visibility pop
