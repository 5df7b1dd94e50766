#pragma once

#include <string>

// Numbers as text, the same whatever the locale.
namespace gradus::plot {

/// With exactly `decimals` digits after the point; never "-0".
std::string fixed(double number, int decimals);

/// With four significant digits or a few more, no zeros at the end, and an exponent only far from 1: a
/// tooltip's value.
std::string brief(double number);

/// A place in a drawing: to a tenth of a pixel.
std::string pixels(double number);

}  // namespace gradus::plot
