#pragma once

#include <string>

// Numbers as text, independent of the locale.
namespace gradus::plot {

/// Exactly `decimals` digits after the point; never "-0".
std::string fixed(double number, int decimals);

/// For tooltips: at least four significant digits, without trailing zeros, and with an exponent only far from
/// 1.
std::string brief(double number);

/// A coordinate, rounded to a tenth of a pixel.
std::string pixels(double number);

}  // namespace gradus::plot
