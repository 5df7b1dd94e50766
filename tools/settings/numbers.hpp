#pragma once

#include <chrono>
#include <cmath>
#include <iomanip>
#include <sstream>
#include <string>

namespace gradus::tools {

/// The number with `count` decimals; "nan" has no sign.
inline std::string digits(double value, int count) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(count) << (std::isnan(value) ? std::abs(value) : value);
  return text.str();
}

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace gradus::tools
