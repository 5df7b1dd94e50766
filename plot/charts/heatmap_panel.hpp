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

/// Draws a checked heatmap at the origin; returns its size with margins. Its cells start at `grid_top` or
/// below and at `grid_left` or to the right of it, so that the panels of a strip line up.
Size draw_panel(Drawing& drawing, const Heatmap& heatmap, bool colour_scale, double grid_top = 0,
                double grid_left = 0);

/// Common properties of the heatmaps in one picture.
struct Panels {
  double grid_top = 0, grid_left = 0;  ///< the largest of the heatmaps, for draw_panel()
  bool same_scale = true;
  std::string name;  ///< all titles, for the picture's accessible label

  /// Checks the heatmaps; `function` is the name in messages.
  Panels(const std::vector<Heatmap>& heatmaps, std::string_view function);
};

}  // namespace gradus::plot
