#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

// The colours of every picture, for light and for dark surroundings.
namespace gradus::plot {

struct Rgb {
  std::uint8_t red, green, blue;
};

enum class Theme { light, dark };

std::string hex(Rgb colour);

/// The scale of heatmaps at 0 ≤ t ≤ 1: one hue, its perceived lightness linear in t. It starts near the
/// background: from pale to deep blue in light surroundings, from deep to pale blue in dark ones.
Rgb ramp(double t, Theme theme);

/// Its dark version among the 256 colours of a terminal.
int ramp256(double t);

/// Steps of the scale that heatmaps are drawn in.
inline constexpr int kLevels = 64;

/// Colours of series before they repeat.
inline constexpr std::size_t kSeriesColours = 8;

Rgb series_colour(std::size_t series, Theme theme);

/// Background, text, quieter text, lines of the grid.
struct Surface {
  Rgb background, ink, muted, grid;
};

Surface surface(Theme theme);

}  // namespace gradus::plot
