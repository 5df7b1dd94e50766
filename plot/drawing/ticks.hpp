#pragma once

#include <string>
#include <vector>

namespace gradus::plot {

struct Tick {
  double value;
  std::string label;
};

/// A linear or logarithmic range, with ticks at round values.
struct Axis {
  double low, high;
  bool log = false;
  std::vector<Tick> ticks;

  /// Relative position of `value`: 0 at low, 1 at high.
  double at(double value) const;
};

/// An axis from exactly `low` to `high` with about `count` ticks; if `whole`, the ticks are whole numbers. An
/// empty or nearly empty range is widened.
Axis tight_axis(double low, double high, int count, bool whole = false);

/// Like tight_axis(), widened to the next ticks.
Axis round_axis(double low, double high, int count);

/// A logarithmic axis for 0 < low ≤ high, widened to the next 1, 2 or 5 times a power of ten.
Axis log_axis(double low, double high);

}  // namespace gradus::plot
