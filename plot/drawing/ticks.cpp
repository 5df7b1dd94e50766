#include "drawing/ticks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "text/number.hpp"

namespace gradus::plot {
namespace {

struct Span {
  double low, high;
};

// Widens a range that is too small for distinct ticks in double precision.
Span widened(double low, double high) {
  const double size = std::max(std::abs(low), std::abs(high));
  if (high - low > 1e-9 * size && size > 1e-290) return {low, high};
  const double margin = size > 1e-290 ? 0.5 * size : 1;
  return {low - margin, high + margin};
}

double round_step(double span, int count) {
  const double raw = span / count;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  const double mantissa = raw / power;
  return power * (mantissa < 1.4 ? 1 : mantissa < 3 ? 2 : mantissa < 7 ? 5 : 10);
}

struct Unit {
  double size;
  const char* name;
};

Unit unit_for(double largest) {
  if (largest < 1e4) return {1, ""};
  if (largest < 1e6) return {1e3, "k"};
  return {1e6, "M"};
}

// The label of a tick. `step` determines the number of decimals. `largest` determines the unit, such as M.
// All ticks of a linear axis get the same `largest`, so they have the same unit.
std::string tick_label(double value, double step, double largest) {
  if (value == 0) return "0";
  if (largest >= 1e9 || step < 0.99e-4) return brief(value);
  const Unit unit = unit_for(largest);
  const double decimals = -std::floor(std::log10(step / unit.size) + 1e-9);
  return fixed(value / unit.size, std::max(0, static_cast<int>(decimals))) + unit.name;
}

std::vector<Tick> round_ticks(double low, double high, double step) {
  const double largest = std::max(std::abs(low), std::abs(high));
  std::vector<Tick> ticks;
  const double last = std::floor(high / step + 1e-6);
  for (double i = std::ceil(low / step - 1e-6); i <= last; ++i) {
    ticks.push_back({i * step, tick_label(i * step, step, largest)});
  }
  return ticks;
}

constexpr std::array<int, 3> kLogSteps = {1, 2, 5};

int decade_of(int i) { return i >= 0 ? i / 3 : -((2 - i) / 3); }

int log_step(int i) { return kLogSteps[static_cast<std::size_t>(i - 3 * decade_of(i))]; }

// Element i of the sequence …, 0.5, 1, 2, 5, 10, 20, …, in which element 0 is 1.
double log_number(int i) { return log_step(i) * std::pow(10, decade_of(i)); }

// The label of log_number(i), for example 2e-5. From 1 to 5, the label has no exponent.
std::string with_exponent(int i) {
  const std::string digit = std::to_string(log_step(i));
  return decade_of(i) == 0 ? digit : digit + 'e' + std::to_string(decade_of(i));
}

}  // namespace

double Axis::at(double value) const {
  if (log) return (std::log10(value) - std::log10(low)) / (std::log10(high) - std::log10(low));
  return (value - low) / (high - low);
}

Axis tight_axis(double low, double high, int count, bool whole) {
  const Span span = widened(low, high);
  double step = round_step(span.high - span.low, count);
  if (whole) step = std::max(1.0, std::round(step));
  return {span.low, span.high, false, round_ticks(span.low, span.high, step)};
}

Axis round_axis(double low, double high, int count) {
  const Span span = widened(low, high);
  const double step = round_step(span.high - span.low, count);
  const double first = std::floor(span.low / step + 1e-6) * step,
               last = std::ceil(span.high / step - 1e-6) * step;
  return {first, last, false, round_ticks(first, last, step)};
}

Axis log_axis(double low, double high) {
  int first = static_cast<int>(std::floor(std::log10(low))) * 3 + 2;
  while (log_number(first) > low * (1 + 1e-9)) --first;
  int last = static_cast<int>(std::floor(std::log10(high))) * 3;
  while (log_number(last) < high * (1 - 1e-9)) ++last;
  if (first == last) --first, ++last;

  const int numbers = last - first + 1;
  const int stride = numbers <= 8 ? 1 : 3 * std::max(1, numbers / 24);
  std::vector<int> shown;
  for (int i = first; i <= last; ++i)
    if (i % stride == 0) shown.push_back(i);
  // If one label needs an exponent, with_exponent() writes all labels.
  const auto needs_exponent = [](int i) { return decade_of(i) < -4 || decade_of(i) >= 9; };
  const bool exponents = std::ranges::any_of(shown, needs_exponent);
  Axis axis{log_number(first), log_number(last), true, {}};
  for (const int i : shown) {
    const double value = log_number(i);
    axis.ticks.push_back({value, exponents ? with_exponent(i) : tick_label(value, value, value)});
  }
  return axis;
}

}  // namespace gradus::plot
