#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>

/// The colours of a picture, and their contrast.

// The CSS rules of a picture for light or dark mode: selector → declarations.
inline std::map<std::string, std::string> rules(const std::string& svg, bool dark) {
  const std::size_t media = svg.find("@media"), style = svg.find("<style>") + 7;
  const std::string css =
      dark ? svg.substr(svg.find('{', media) + 1, svg.find("}}", media) - svg.find('{', media))
           : svg.substr(style, media - style);
  std::map<std::string, std::string> found;
  for (std::size_t at = 0, brace; (brace = css.find('{', at)) != css.npos; at = css.find('}', brace) + 1) {
    found[css.substr(at, brace - at)] += css.substr(brace + 1, css.find('}', brace) - brace - 1);
  }
  return found;
}

// The relative luminance of "fill:#rrggbb" or "color:#rrggbb".
inline double luminance(const std::string& declaration) {
  const std::size_t at = declaration.find('#') + 1;
  const std::array<double, 3> weights = {0.2126, 0.7152, 0.0722};
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double v = std::stoi(declaration.substr(at + 2 * i, 2), nullptr, 16) / 255.0;
    sum += weights[i] * (v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4));
  }
  return sum;
}

inline double contrast(const std::string& a, const std::string& b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}
