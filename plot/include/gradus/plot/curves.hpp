#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::plot {

/// The form of a series: a line; a dashed line, through whose gaps other lines can be seen; or points without
/// a line.
enum class Mark { line, dashed, points };

/// A line through the points (x[i], y[i]), in this order, or only the points.
struct Series {
  std::string name{};  ///< in the legend; omitted if empty
  std::vector<double> x{}, y{};
  Mark mark = Mark::line;
  std::optional<std::size_t> colour{};  ///< index of the series whose colour is used; empty: its own
  std::vector<double> offset{};  ///< point i is drawn at x[i] + offset[i]; tooltips show x[i]. May be empty
  bool name_at_end = false;      ///< the name is written after the last point, not in the legend
};

/// Lines with shared axes: losses, learning rates, norms, decision boundaries.
struct Curves {
  std::string title{}, x_label{}, y_label{};
  std::vector<Series> series{};
  bool log_y = false;        ///< a logarithmic y axis
  bool equal_units = false;  ///< a unit has the same length on both axes; not for a logarithmic axis
};

/// Draws `curves` as one SVG with a grid, axis ticks at round numbers and a legend, in light and dark
/// colours. Names and labels may have subscripts and superscripts, as in h_t, b_{hn} and ρ^d.
///
/// NaN and infinite values leave a gap, and so do values of 0 or below on a logarithmic axis. Long lines are
/// thinned without losing peaks: for every two pixels of width, only the first, last, lowest and highest
/// point are drawn. A solid line of up to 40 points has a dot at each point. Series without a line consist of
/// dots. Dots have tooltips (name: x, y), except in a series of more than 80 points. Names at the ends of
/// lines may overlap if the lines end close together.
///
/// Throws Error if there are no series, if a series is empty, if its x and y differ in size, if its offset is
/// not empty and has another size, or if equal units are requested with a logarithmic axis.
std::string svg(const Curves& curves);

}  // namespace gradus::plot
#pragma GCC visibility pop
