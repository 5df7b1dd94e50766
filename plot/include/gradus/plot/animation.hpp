#pragma once

#include <gradus/plot/heatmap.hpp>

#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::plot {

/// Draws heatmaps as one SVG that shows them in a loop, one second each and the last one for three.
///
/// It is animated with CSS, without a script, and so also works as an image. With reduced motion, or without
/// support for animation, it shows the last heatmap. Throws Error if `heatmaps` is empty, and as
/// svg(Heatmap).
std::string animation(const std::vector<Heatmap>& heatmaps);

}  // namespace gradus::plot
#pragma GCC visibility pop
