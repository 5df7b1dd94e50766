#pragma once

#include <gradus/plot/heatmap.hpp>

#include "drawing.hpp"

namespace gradus::plot {

struct Size {
  double width, height;
};

/// Draws a checked heatmap at the origin; returns the room that it takes, margins included.
/// `grid_top` is where its cells are to begin, at least (so that the panels of a strip line up).
Size draw_panel(Drawing& drawing, const Heatmap& heatmap, bool colour_scale, double grid_top = 0);

/// Where the cells of the heatmap begin when nothing else is asked.
double panel_grid_top(const Heatmap& heatmap);

}  // namespace gradus::plot
