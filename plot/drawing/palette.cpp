#include "drawing/palette.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace gradus::plot {
namespace {

constexpr Rgb rgb(unsigned code) {
  return {static_cast<std::uint8_t>(code >> 16), static_cast<std::uint8_t>(code >> 8 & 0xFF),
          static_cast<std::uint8_t>(code & 0xFF)};
}

std::uint8_t srgb(double linear) {
  const double v = std::clamp(linear, 0.0, 1.0);
  const double encoded = v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(255 * encoded));
}

// Converts OKLCH to sRGB (Björn Ottosson, "A perceptual color space for image processing", 2020).
Rgb oklch(double lightness, double chroma, double degrees) {
  const double hue = degrees * std::numbers::pi / 180;
  const double a = chroma * std::cos(hue), b = chroma * std::sin(hue);
  const double l = std::pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
  const double m = std::pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
  const double s = std::pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
  return {srgb(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          srgb(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          srgb(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

}  // namespace

std::string hex(Rgb colour) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "#";
  for (const std::uint8_t part : {colour.red, colour.green, colour.blue}) {
    text += kDigits[part >> 4];
    text += kDigits[part & 15];
  }
  return text;
}

Rgb ramp(double t, Theme theme) {
  // The chroma approaches 0 as the lightness approaches that of the background. All colours are within sRGB.
  if (theme == Theme::light) {
    const double lightness = std::lerp(0.975, 0.34, t);
    return oklch(lightness, 0.46 * lightness * (1 - lightness), 255);
  }
  const double lightness = std::lerp(0.24, 0.93, t);
  return oklch(lightness, 0.66 * (lightness - 0.17) * (1 - lightness), 255);
}

int ramp256(double t) {
  constexpr std::array kColours = {233, 18, 19, 20, 26, 32, 75, 117, 195};  // lightness rises in even steps
  return kColours[static_cast<std::size_t>(std::lround(t * static_cast<double>(kColours.size() - 1)))];
}

// All series colours have a contrast of at least 3:1 with the background. The first six are the easiest to
// distinguish.
Rgb series_colour(std::size_t series, Theme theme) {
  constexpr std::array<Rgb, kSeriesColours> kLight = {rgb(0x1f6fd0), rgb(0xd9480f), rgb(0x0b8f6a),
                                                      rgb(0x9c36b5), rgb(0xa87400), rgb(0xc2255c),
                                                      rgb(0x0b7285), rgb(0x5c6773)};
  constexpr std::array<Rgb, kSeriesColours> kDark = {rgb(0x5aa9ff), rgb(0xff8a4c), rgb(0x3fd0a0),
                                                     rgb(0xd79bea), rgb(0xf0c040), rgb(0xff7ba8),
                                                     rgb(0x58c4dc), rgb(0xa3adb8)};
  return (theme == Theme::light ? kLight : kDark)[series % kSeriesColours];
}

Surface surface(Theme theme) {
  if (theme == Theme::light) return {rgb(0xffffff), rgb(0x1f2328), rgb(0x59636e), rgb(0xe3e6ea)};
  return {rgb(0x0f141a), rgb(0xe6edf3), rgb(0x9aa7b4), rgb(0x2a323c)};
}

}  // namespace gradus::plot
