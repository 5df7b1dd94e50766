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

/// The colour at t of the heatmap scale, 0 ≤ t ≤ 1. The scale has one hue. Its perceived lightness is linear
/// in t: from pale to deep blue in the light theme, from deep to pale blue in the dark theme.
Rgb ramp(double t, Theme theme);

/// Approximates ramp(t, Theme::dark) in a terminal with 256 colours. Returns the number of the colour.
int ramp256(double t);

/// Number of different colours in a heatmap.
inline constexpr int kLevels = 64;

/// Number of colours for series. Further series repeat these colours.
inline constexpr std::size_t kSeriesColours = 8;

Rgb series_colour(std::size_t series, Theme theme);

/// The colours of background, text, secondary text and grid lines.
struct Surface {
  Rgb background, ink, muted, grid;
};

Surface surface(Theme theme);

}  // namespace gradus::plot
