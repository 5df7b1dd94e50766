#pragma once

#include <gradus/plot/heatmap.hpp>

#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::plot {

/// Draws heatmaps as one SVG that shows them in a loop: each for one second, the last one for three seconds.
///
/// The animation is CSS without a script, so that it also plays if the SVG is used as an image. Where motion
/// is reduced or animation is unsupported, the SVG shows the last heatmap. Throws Error if `heatmaps` is
/// empty, or if svg(Heatmap) would reject one of them.
std::string animation(const std::vector<Heatmap>& heatmaps);

}  // namespace gradus::plot
#pragma GCC visibility pop
