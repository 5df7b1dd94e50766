#pragma once

#include <string>
#include <vector>

namespace gradus::plot {

struct Tick {
  double value;
  std::string label;
};

/// A range of values, linear or logarithmic, with ticks at round ones.
struct Axis {
  double low, high;
  bool log = false;
  std::vector<Tick> ticks;

  /// Where `value` lies: 0 at low, 1 at high.
  double at(double value) const;
};

/// From `low` to `high` as they are, with about `count` ticks; whole numbers only if `whole`. If the range is
/// empty or nearly so, it is widened.
Axis tight_axis(double low, double high, int count, bool whole = false);

/// The same, widened to the next ticks.
Axis round_axis(double low, double high, int count);

/// Logarithmic, for 0 < low ≤ high, widened to the next 1, 2 or 5 × a power of ten.
Axis log_axis(double low, double high);

}  // namespace gradus::plot
