#include "charts/heatmap_cells.hpp"

#include <gradus/error.hpp>

#include <algorithm>
#include <cmath>

#include "text/number.hpp"

namespace gradus::plot {

void check(const Heatmap& heatmap, std::string_view function) {
  const std::string where = "plot::" + std::string(function) + "(Heatmap '" + heatmap.title + "'): ";
  const std::size_t rows = heatmap.rows.size(), columns = heatmap.columns.size();
  const std::string shape = std::to_string(rows) + " rows × " + std::to_string(columns) + " columns";
  if (heatmap.values.size() != rows * columns) {
    throw Error(where + "values has " + std::to_string(heatmap.values.size()) + " elements, but " + shape +
                " = " + std::to_string(rows * columns) +
                "; give one value per cell, row-major, and one label per row and column");
  }
  if (heatmap.values.empty())
    throw Error(where + shape + " have no cells; add at least one row and one column");
  std::size_t grouped = 0;
  for (const RowGroup& group : heatmap.groups) grouped += group.rows;
  if (!heatmap.groups.empty() && grouped != rows) {
    throw Error(where + "the groups have " + std::to_string(grouped) + " rows, but the heatmap " +
                std::to_string(rows) + "; put each row into one group");
  }
  if (!std::isfinite(heatmap.max - heatmap.min) || heatmap.min >= heatmap.max) {
    throw Error(where + "min " + brief(heatmap.min) + " and max " + brief(heatmap.max) +
                " are not a valid range; both must be finite, and min below max");
  }
}

double value_at(const Heatmap& heatmap, std::size_t row, std::size_t column) {
  return heatmap.values[row * heatmap.columns.size() + column];
}

double scaled(const Heatmap& heatmap, double value) {
  return std::clamp((value - heatmap.min) / (heatmap.max - heatmap.min), 0.0, 1.0);
}

}  // namespace gradus::plot
