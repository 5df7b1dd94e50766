#pragma once

#include <string>

// Numbers as text that does not depend on the locale.
namespace gradus::plot {

/// The number with exactly `decimals` digits after the point; never "-0".
std::string fixed(double number, int decimals);

/// A short form for tooltips: at least four significant digits, no trailing zeros, and an exponent only for
/// very large or small numbers.
std::string brief(double number);

/// The number for a coordinate, rounded to a tenth of a pixel.
std::string pixels(double number);

}  // namespace gradus::plot
