#pragma once

#include <gradus/plot/heatmap.hpp>

#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::plot {

/// Draws heatmaps as one SVG that shows them in a loop, one second each and the last one for three.
///
/// The animation is CSS without a script, so it also plays when the SVG is used as an image. With reduced
/// motion, or without support for animation, the SVG shows the last heatmap. Throws Error if `heatmaps` is
/// empty, or if svg(Heatmap) would reject one of them.
std::string animation(const std::vector<Heatmap>& heatmaps);

}  // namespace gradus::plot
#pragma GCC visibility pop
