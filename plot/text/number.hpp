#pragma once

#include <string>

// Numbers as text that does not depend on the locale.
namespace gradus::plot {

/// The number with exactly `decimals` digits after the point; never "-0".
std::string fixed(double number, int decimals);

/// A short form for tooltips: rounded to four significant digits, but never coarser than to a whole number.
/// Very large and very small numbers have four significant digits and an exponent. Zeros at the end of the
/// decimals are left out.
std::string brief(double number);

/// The number for a coordinate, rounded to a tenth of a pixel.
std::string pixels(double number);

}  // namespace gradus::plot
