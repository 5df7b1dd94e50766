#include <gradus/error.hpp>
#include <gradus/plot/heatmap.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "charts/heatmap_cells.hpp"
#include "charts/heatmap_panel.hpp"
#include "drawing/drawing.hpp"

namespace gradus::plot {

std::string svg(const Heatmap& heatmap) {
  check(heatmap, "svg");
  Drawing drawing;
  const Size size = draw_panel(drawing, heatmap, true);
  return drawing.svg({0, 0, size.width, size.height}, heatmap.title);
}

std::string strip(const std::vector<Heatmap>& heatmaps, std::size_t per_row) {
  const Panels panels(heatmaps, "strip");
  if (per_row == 0) throw Error("plot::strip: per_row is 0; give at least 1");
  Drawing drawing;
  double x = 0, y = 0, width = 0, height = 0;
  for (std::size_t i = 0; i < heatmaps.size(); ++i) {
    if (i > 0 && i % per_row == 0) x = 0, y = std::ceil(height);
    drawing.begin_group(x, y);
    const bool colour_scale = !panels.same_scale || i + 1 == heatmaps.size();
    const Size size =
        draw_panel(drawing, heatmaps[i], colour_scale, panels.grid_top, per_row == 1 ? panels.grid_left : 0);
    drawing.end_group();
    x += std::ceil(size.width);
    width = std::max(width, x);
    height = std::max(height, y + size.height);
  }
  return drawing.svg({0, 0, width, height}, panels.name);
}

}  // namespace gradus::plot
