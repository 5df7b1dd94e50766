#pragma once

#include <string>

// Numbers as text that does not depend on the locale.
namespace gradus::plot {

/// The number with exactly `decimals` digits after the point; never "-0".
std::string fixed(double number, int decimals);

/// A short form for tooltips: four significant digits, but always all digits before the decimal point.
/// Numbers of magnitude below 1e-4 (except 0) or from 1e7 on have four significant digits and an exponent.
/// Zeros at the end of the decimals are omitted.
std::string brief(double number);

/// The number for a coordinate, rounded to a tenth of a pixel.
std::string pixels(double number);

}  // namespace gradus::plot
