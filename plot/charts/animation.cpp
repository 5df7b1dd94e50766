#include <gradus/plot/animation.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "charts/heatmap_panel.hpp"
#include "drawing/drawing.hpp"
#include "text/join.hpp"
#include "text/number.hpp"

namespace gradus::plot {
namespace {

// The CSS class of a frame. Its CSS rule depends only on `frame` and `frames`, and the class name contains
// both numbers. Pictures on one page can therefore share the class.
std::string frame_class(std::size_t frame, std::size_t frames) {
  return join("gp-frame", std::to_string(frame), "of", std::to_string(frames));
}

// CSS that makes a frame fade in over the previous ones. The frame stays until the loop restarts.
std::string appears(std::size_t frame, std::size_t frames) {
  constexpr double kEach = 1, kLast = 3, kFade = 0.3;  // all in seconds
  const double round = static_cast<double>(frames - 1) * kEach + kLast;
  const auto at = [round](double seconds) { return fixed(100 * seconds / round, 2) + "%"; };
  const double begin = static_cast<double>(frame) * kEach;
  const std::string name = frame_class(frame, frames);
  return join(".", name, "{animation:", name, " ", pixels(round), "s infinite}@keyframes ", name, "{0%,",
              at(begin), "{opacity:0;visibility:hidden}", at(begin + kFade),
              ",100%{opacity:1;visibility:visible}}");
}

}  // namespace

std::string animation(const std::vector<Heatmap>& heatmaps) {
  const Panels panels(heatmaps, "animation");
  Box view{};
  for (const Heatmap& heatmap : heatmaps) {
    Drawing measured;
    const Size size = draw_panel(measured, heatmap, true, panels.grid_top);
    view.width = std::max(view.width, std::ceil(size.width));
    view.height = std::max(view.height, std::ceil(size.height));
  }
  Drawing drawing;
  std::string rules;
  for (std::size_t i = 0; i < heatmaps.size(); ++i) {
    drawing.begin_group(frame_class(i, heatmaps.size()));
    drawing.rect("gp-back", view);
    draw_panel(drawing, heatmaps[i], true, panels.grid_top);
    drawing.end_group();
    if (i > 0) rules += appears(i, heatmaps.size());  // the first frame is always visible
  }
  drawing.style(join("@media(prefers-reduced-motion:no-preference){", rules, "}"));
  return drawing.svg(view, panels.name);
}

}  // namespace gradus::plot
