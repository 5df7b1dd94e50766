#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

// The colours of all pictures, for light and dark themes.
namespace gradus::plot {

struct Rgb {
  std::uint8_t red, green, blue;
};

enum class Theme { light, dark };

std::string hex(Rgb colour);

/// The heatmap scale at 0 ≤ t ≤ 1: one hue with perceived lightness linear in t, starting near the
/// background: pale to deep blue for light, deep to pale blue for dark.
Rgb ramp(double t, Theme theme);

/// The dark scale in the 256 colours of a terminal.
int ramp256(double t);

/// Number of colours in heatmaps.
inline constexpr int kLevels = 64;

/// Number of series colours before they repeat.
inline constexpr std::size_t kSeriesColours = 8;

Rgb series_colour(std::size_t series, Theme theme);

/// Background, text, secondary text, grid lines.
struct Surface {
  Rgb background, ink, muted, grid;
};

Surface surface(Theme theme);

}  // namespace gradus::plot
