#pragma once

#include <gradus/plot/heatmap.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "drawing/drawing.hpp"

namespace gradus::plot {

struct Size {
  double width, height;
};

/// Draws a heatmap, which must have passed check(), at the origin. Returns its size with margins. The grid of
/// cells begins at `grid_top` and `grid_left`, or further down or right if the labels need more room. To
/// align the panels of a strip, pass the same `grid_top` and `grid_left` for each.
Size draw_panel(Drawing& drawing, const Heatmap& heatmap, bool colour_scale, double grid_top = 0,
                double grid_left = 0);

/// Properties that the heatmaps in one picture share.
struct Panels {
  double grid_top = 0, grid_left = 0;  ///< arguments of draw_panel(): the largest that a heatmap needs
  bool same_scale = true;
  std::string name;  ///< all titles, for the picture's accessible label

  /// Checks the heatmaps. `function` is the name of the calling function, for messages.
  Panels(const std::vector<Heatmap>& heatmaps, std::string_view function);
};

}  // namespace gradus::plot
