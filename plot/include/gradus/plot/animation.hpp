#pragma once

#include <gradus/plot/heatmap.hpp>

#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::plot {

/// Draws several heatmaps as one SVG that shows them in turn, a second each and the last one for three, and
/// begins again.
///
/// It moves by its own style, without a script, also where a page has it as an image. Who asks for less
/// motion, or looks with what cannot animate, sees the last one. Throws Error if there is none, and what
/// svg(Heatmap) throws.
std::string animation(const std::vector<Heatmap>& heatmaps);

}  // namespace gradus::plot
#pragma GCC visibility pop
