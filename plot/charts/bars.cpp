#include <gradus/error.hpp>
#include <gradus/plot/bars.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "drawing/drawing.hpp"
#include "drawing/frame.hpp"
#include "drawing/ticks.hpp"
#include "text/number.hpp"

namespace gradus::plot {
namespace {

constexpr double kNarrowest = 400, kWidest = 560, kBarGap = 2;

void check(const GroupedBars& bars) {
  const std::string where = "plot::svg(GroupedBars '" + bars.title + "'): ";
  if (bars.groups.empty()) throw Error(where + "no groups; add at least one");
  if (bars.series.empty()) throw Error(where + "no series; add at least one");
  for (const BarSeries& series : bars.series) {
    if (series.values.size() != bars.groups.size()) {
      throw Error(where + "series '" + series.name + "' has " + std::to_string(series.values.size()) +
                  " values for " + std::to_string(bars.groups.size()) +
                  " groups; give one value per group, NaN if missing");
    }
  }
  if (!std::isfinite(bars.y_max - bars.y_min) || bars.y_min >= bars.y_max) {
    throw Error(where + "y_min " + brief(bars.y_min) + " and y_max " + brief(bars.y_max) +
                " are not a valid range; both must be finite, and y_min below y_max");
  }
}

// Horizontal layout of the bars, in pixels from the plot's left edge.
struct Columns {
  double group, bar;
  double width;  // width of the plot

  Columns(std::size_t groups, std::size_t series) {
    const auto bars = static_cast<double>(series);
    const double narrowest = bars * (4 + kBarGap) + 6;  // minimum width of a group of bars
    group = std::clamp(kNarrowest / static_cast<double>(groups), bars * 30 + 14, bars * 60 + 30);
    group = std::max(std::min(group, kWidest / static_cast<double>(groups)), narrowest);
    width = std::max(kNarrowest, group * static_cast<double>(groups));
    group = width / static_cast<double>(groups);
    bar = std::floor(std::min(group * 0.88 / bars - kBarGap, 64.0));  // whole pixels give sharp edges
  }

  double bar_x(std::size_t g, std::size_t s, std::size_t series) const {
    const double centre = (static_cast<double>(g) + 0.5) * group, pitch = bar + kBarGap;
    return std::round(centre + (static_cast<double>(s) - static_cast<double>(series) / 2) * pitch +
                      kBarGap / 2);
  }
};

// Values printed at the ends of the bars: horizontal, turned by 90°, or omitted. All bars of a picture use
// the same form.
struct ValueLabels {
  int decimals;
  double longest = 0;
  bool flat, turned;

  ValueLabels(const GroupedBars& bars, double bar)
      : decimals(std::max(0, static_cast<int>(std::ceil(2 - std::log10(bars.y_max - bars.y_min))))) {
    for (const BarSeries& series : bars.series) {
      for (const double v : series.values) {
        if (!std::isnan(v)) longest = std::max(longest, text_width(text(v), kSmall));
      }
    }
    flat = longest < bar;
    turned = !flat && bar >= kSmall && longest < 50;
  }

  std::string text(double value) const { return fixed(value, decimals); }
  double height() const { return flat ? kSmall + 2 : turned ? longest + 6 : 0; }

  // Draws the value of a bar that ends at (x, y): above the end, or below it if the bar points down.
  void draw(Drawing& drawing, double value, double x, double y, bool down) const {
    const double side = down ? 1 : -1;
    if (flat)
      drawing.text("gp-ink gp-small", x, y + side * 4 + (down ? kSmall - 3 : 0), text(value), Anchor::middle);
    if (turned) {
      drawing.text("gp-ink gp-small", x + 3.5, y + side * 4, text(value), down ? Anchor::end : Anchor::start,
                   -90);
    }
  }
};

}  // namespace

std::string svg(const GroupedBars& bars) {
  check(bars);
  const std::size_t count = bars.series.size();
  const Columns columns(bars.groups.size(), count);
  const ValueLabels labels(bars, columns.bar);

  std::vector<Key> keys;
  for (std::size_t s = 0; s < count; ++s)
    keys.push_back({bars.series[s].name, series_class(s), KeyShape::square});
  Drawing drawing;
  const Frame frame(drawing, {bars.title, bars.x_label, bars.y_label}, keys,
                    tight_axis(bars.y_min, bars.y_max, 5), {columns.width}, labels.height());
  const Box& plot = frame.plot();
  const double base = frame.y(std::clamp(0.0, bars.y_min, bars.y_max));

  double lowest = plot.y + plot.height;  // bottom edge of everything drawn so far
  std::vector<BottomLabel> groups;
  for (std::size_t g = 0; g < bars.groups.size(); ++g) {
    if (bars.groups[g].empty()) continue;
    groups.push_back({(static_cast<double>(g) + 0.5) * columns.group, bars.groups[g]});
    for (std::size_t s = 0; s < count; ++s) {
      const double value = bars.series[s].values[g], x = plot.x + columns.bar_x(g, s, count);
      const std::string name =
          bars.series[s].name + (bars.series[s].name.empty() ? "" : ", ") + bars.groups[g];
      if (std::isnan(value)) {
        drawing.missing({x, base - 16, columns.bar, 16}, name + ": missing");
        continue;
      }
      const double end = frame.y(std::clamp(value, bars.y_min, bars.y_max));
      drawing.rect("gp-fill " + series_class(s), {x, std::min(end, base), columns.bar, std::abs(base - end)},
                   name + ": " + brief(value));
      if (end > base) lowest = std::max(lowest, end + labels.height());
      labels.draw(drawing, value, x + columns.bar / 2, end, end > base);
    }
  }
  return frame.svg(groups, base, lowest - plot.y - plot.height);
}

}  // namespace gradus::plot
