#pragma once

#include <gradus/plot/heatmap.hpp>

#include <cstddef>
#include <string>
#include <string_view>

// Code shared by the SVG and the terminal heatmaps.
namespace gradus::plot {

/// Throws Error unless the heatmap can be drawn. `function` is the name in the message.
void check(const Heatmap& heatmap, std::string_view function);

double value_at(const Heatmap& heatmap, std::size_t row, std::size_t column);

/// The value's position on the colour scale, 0 … 1; NaN stays NaN.
double scaled(const Heatmap& heatmap, double value);

}  // namespace gradus::plot
