#include <gradus/error.hpp>
#include <gradus/plot/heatmap.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "drawing.hpp"
#include "heatmap_cells.hpp"
#include "heatmap_panel.hpp"

namespace gradus::plot {

std::string svg(const Heatmap& heatmap) {
  check(heatmap, "svg");
  Drawing drawing;
  const Size size = draw_panel(drawing, heatmap, true);
  return drawing.svg({0, 0, size.width, size.height}, heatmap.title);
}

std::string strip(const std::vector<Heatmap>& heatmaps) {
  if (heatmaps.empty()) throw Error("plot::strip: there is no heatmap; give at least one");
  double grid_top = 0;
  bool same_scale = true;
  std::string name;
  for (const Heatmap& heatmap : heatmaps) {
    check(heatmap, "strip");
    grid_top = std::max(grid_top, panel_grid_top(heatmap));
    same_scale = same_scale && heatmap.min == heatmaps[0].min && heatmap.max == heatmaps[0].max;
    name += (name.empty() ? "" : ", ") + heatmap.title;
  }

  Drawing drawing;
  double x = 0, height = 0;
  for (const Heatmap& heatmap : heatmaps) {
    drawing.begin_group(x, 0);
    const Size size = draw_panel(drawing, heatmap, !same_scale || &heatmap == &heatmaps.back(), grid_top);
    drawing.end_group();
    x += std::ceil(size.width);
    height = std::max(height, size.height);
  }
  return drawing.svg({0, 0, x, height}, name);
}

}  // namespace gradus::plot
