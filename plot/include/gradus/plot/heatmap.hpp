#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::plot {

/// A bracket beside neighbouring rows of a heatmap.
struct RowGroup {
  std::string name{};    ///< left of the bracket; may be empty
  std::size_t rows = 0;  ///< number of rows that the bracket joins
};

/// A matrix drawn as coloured cells, such as attention weights or a weight matrix.
///
/// As in attention papers, column labels (the source) are at the top and row labels (the target) on the left.
/// Values are clamped to [min, max]; NaN is drawn as a missing cell.
struct Heatmap {
  std::string title{}, x_label{}, y_label{};
  std::vector<std::string> columns{}, rows{};  ///< labels; their counts are the numbers of columns and rows
  std::vector<double> values{};                ///< (rows, columns), row-major
  double min = 0, max = 1;                     ///< the ends of the colour scale
  double side = 400;  ///< target length of the longer side, in pixels; a cell has 10 to 32 pixels
  /// The size of a cell in pixels, in place of `side`; 0 if not set. With `cell_width`, column labels are
  /// horizontal: pass an empty label where labels would overlap. Cells below 10 pixels touch each other and
  /// have no tooltips; NaN leaves a gap.
  double cell_width = 0, cell_height = 0;
  std::vector<RowGroup> groups{};  ///< from the top; brackets replace the row labels, but not in tooltips
  std::string scale_name{};        ///< above the colour scale
  bool empty_zeros = false;        ///< draws values of exactly 0 as empty cells, with a legend
};

/// Draws `heatmap` as one SVG: cells with tooltips (row, column: value), labels, a colour scale.
///
/// Labels are UTF-8. Long labels end in an ellipsis, but the tooltip shows them whole. The SVG has light and
/// dark colours. It can be used by itself, or inline in a page with other pictures.
///
/// Throws Error if there are no cells, if `values` does not have one value per cell, or if there are groups
/// whose rows do not add up to those of the heatmap. Also throws unless min and max are finite and min < max.
std::string svg(const Heatmap& heatmap);

/// Draws several heatmaps as one SVG, side by side in rows of `per_row`. Example: the same sentence after 1,
/// 5 and 10 epochs.
///
/// If all heatmaps have the same `min`, `max` and `empty_zeros`, one colour scale is drawn, beside the last
/// heatmap; otherwise each heatmap has its own scale. If `per_row` is 1, the cells of all heatmaps begin at
/// the same x. Throws Error if `heatmaps` is empty, if `per_row` is 0, or if svg(Heatmap) would reject one of
/// them.
std::string strip(const std::vector<Heatmap>& heatmaps,
                  std::size_t per_row = std::numeric_limits<std::size_t>::max());

}  // namespace gradus::plot
#pragma GCC visibility pop
