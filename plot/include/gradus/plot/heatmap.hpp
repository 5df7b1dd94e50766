#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::plot {

/// A matrix as coloured cells: an alignment, attention weights, a weight matrix.
///
/// As in attention papers, columns (the source) run along the top and rows (the target) down the left. A
/// value below `min` has the colour of `min`, one above `max` that of `max`; NaN is a missing cell and drawn
/// as such.
struct Heatmap {
  std::string title{}, x_label{}, y_label{};
  std::vector<std::string> columns{}, rows{};  ///< one label a column and a row; they say the shape
  std::vector<double> values{};                ///< rows × columns, row by row
  double min = 0, max = 1;                     ///< the values at the two ends of the colour scale
  double side = 400;  ///< pixels that the longer side may take; but a cell has 10 to 32
};

/// Draws `heatmap` as one SVG: cells with a tooltip (row, column: value), labels, a colour scale.
///
/// Labels are UTF-8; long ones are shortened with an ellipsis (the tooltip has them whole). The SVG carries
/// its own light and dark colours and stands alone, or inline in a page beside others.
///
/// Throws Error if there is no cell, if `values` does not have one value a cell, or unless min < max, both
/// finite.
std::string svg(const Heatmap& heatmap);

/// Draws several heatmaps as one SVG, side by side in rows of `per_row`: the same sentence after 1, 5 and 10
/// epochs.
///
/// If all have the same `min` and `max`, one colour scale stands beside the last, else each has its own.
/// Throws Error if there is none, if `per_row` is 0, and what svg(Heatmap) throws.
std::string strip(const std::vector<Heatmap>& heatmaps,
                  std::size_t per_row = std::numeric_limits<std::size_t>::max());

}  // namespace gradus::plot
#pragma GCC visibility pop
