#include <gradus/error.hpp>
#include <gradus/plot/curves.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "drawing/drawing.hpp"
#include "drawing/frame.hpp"
#include "drawing/thin.hpp"
#include "drawing/ticks.hpp"
#include "text/join.hpp"
#include "text/number.hpp"

namespace gradus::plot {
namespace {

constexpr double kWidth = 460, kEqualWidth = 340, kColumn = 2;
constexpr std::size_t kMostDots = 40, kMostLoneDots = 80;

void check(const Curves& curves) {
  const std::string where = "plot::svg(Curves '" + curves.title + "'): ";
  if (curves.series.empty()) throw Error(where + "no series; add at least one");
  if (curves.equal_units && curves.log_y)
    throw Error(where + "equal_units on a logarithmic axis; set only one of equal_units and log_y");
  for (const Series& series : curves.series) {
    const std::string name = where + "series '" + series.name + "' ";
    if (series.x.size() != series.y.size()) {
      throw Error(name + "has " + std::to_string(series.x.size()) + " x and " +
                  std::to_string(series.y.size()) + " y; give one y per x");
    }
    if (!series.offset.empty() && series.offset.size() != series.x.size()) {
      throw Error(name + "has " + std::to_string(series.x.size()) + " x and " +
                  std::to_string(series.offset.size()) + " offsets; give one offset per x, or none");
    }
    if (series.x.empty()) throw Error(name + "has no points; remove it or add one");
  }
}

// Where point i of a series is drawn.
Point place(const Series& series, std::size_t i) {
  return {series.x[i] + (series.offset.empty() ? 0 : series.offset[i]), series.y[i]};
}

// Numbers of magnitude above 1e300 are not drawn, because the length of an axis would overflow. On a
// logarithmic axis, numbers below 1e-300 are not drawn either.
bool drawable(double number) { return std::abs(number) <= 1e300; }

bool drawable(const Curves& curves, Point p) {
  return drawable(p.x) && drawable(p.y) && (!curves.log_y || p.y >= 1e-300);
}

// The bounding box of all drawable points.
struct Bounds {
  double x_low = std::numeric_limits<double>::infinity(), x_high = -x_low, y_low = x_low, y_high = -x_low;
  bool whole_x = true;

  explicit Bounds(const Curves& curves) {
    for (const Series& series : curves.series) {
      for (std::size_t i = 0; i < series.x.size(); ++i) {
        if (drawable(curves, place(series, i))) add(place(series, i));
      }
    }
  }

  void add(Point p) {
    x_low = std::min(x_low, p.x), x_high = std::max(x_high, p.x);
    y_low = std::min(y_low, p.y), y_high = std::max(y_high, p.y);
    whole_x = whole_x && p.x == std::floor(p.x);
  }

  bool empty() const { return x_low > x_high; }
};

constexpr double kEndGap = 6;  // pixels between a line and its name

// The width of the widest name at the end of a line, with the gap before it.
double end_width(const Curves& curves) {
  double width = 0;
  for (const Series& series : curves.series) {
    if (series.name_at_end && !series.name.empty())
      width = std::max(width, kEndGap + text_width(series.name, kFont));
  }
  return width;
}

// The size of the area inside the axes. Unless units are equal, names at the ends of lines make the area
// narrower.
PlotSize size_of(const Curves& curves, const Axis& x, const Axis& y) {
  if (!curves.equal_units) return {std::max(kWidth - end_width(curves), kWidth / 2)};
  return {kEqualWidth, std::clamp(kEqualWidth * (y.high - y.low) / (x.high - x.low), 60.0, 1200.0)};
}

std::string colour_of(const Curves& curves, std::size_t s) {
  return series_class(curves.series[s].colour.value_or(s));
}

// The CSS classes of a series: its colour and, if dashed, a dash pattern.
std::string css_of(const Curves& curves, std::size_t s) {
  return colour_of(curves, s) + (curves.series[s].mark == Mark::dashed ? " gp-dash1" : "");
}

// The path through the points. Relative coordinates need half as many characters as absolute ones. They are
// differences of positions rounded to tenths of a pixel, so rounding errors do not accumulate.
std::string path_data(const std::vector<Point>& points) {
  double x = std::round(points[0].x * 10), y = std::round(points[0].y * 10);
  std::string data = join("M", pixels(x / 10), " ", pixels(y / 10));
  if (points.size() == 1) return data + "h0";  // a line of length 0: its round ends form a dot
  for (std::size_t i = 1; i < points.size(); ++i) {
    const double next_x = std::round(points[i].x * 10), next_y = std::round(points[i].y * 10);
    data += join(i == 1 ? "l" : " ", pixels((next_x - x) / 10), " ", pixels((next_y - y) / 10));
    x = next_x, y = next_y;
  }
  return data;
}

// A series in pixels, cut at its gaps into lines and isolated points.
struct Pieces {
  std::vector<std::vector<Point>> lines;
  std::vector<Point> alone;

  void add(std::vector<Point>& line) {
    if (line.size() == 1) alone.push_back(line[0]);
    if (line.size() > 1) lines.push_back(line);
    line.clear();
  }
};

std::string path_data(const Pieces& pieces) {
  std::string data;
  for (const auto& line : pieces.lines) data += path_data(thin(line, kColumn));
  for (const Point& point : thin(pieces.alone, kColumn)) data += path_data({point});
  return data;
}

}  // namespace

std::string svg(const Curves& curves) {
  check(curves);
  const Bounds bounds(curves);
  const bool empty = bounds.empty();
  const Axis x_axis =
      empty ? tight_axis(0, 1, 7) : tight_axis(bounds.x_low, bounds.x_high, 7, bounds.whole_x);
  Axis y_axis = empty          ? round_axis(0, 1, 5)
                : curves.log_y ? log_axis(bounds.y_low, bounds.y_high)
                               : round_axis(bounds.y_low, bounds.y_high, 5);

  std::vector<Key> keys;
  for (std::size_t s = 0; s < curves.series.size(); ++s) {
    const bool dots = curves.series[s].mark == Mark::points;
    if (curves.series[s].name_at_end) continue;
    keys.push_back({curves.series[s].name, css_of(curves, s), dots ? KeyShape::dot : KeyShape::line});
  }
  Drawing drawing;
  const PlotSize size = size_of(curves, x_axis, y_axis);
  const Frame frame(drawing, {curves.title, curves.x_label, curves.y_label}, keys, std::move(y_axis), size);
  const Box& plot = frame.plot();
  if (empty) {
    drawing.text("gp-muted", plot.x + plot.width / 2, plot.y + plot.height / 2,
                 curves.log_y ? "no finite value above 0" : "no finite value", Anchor::middle);
  }

  for (std::size_t s = 0; s < curves.series.size(); ++s) {
    const Series& series = curves.series[s];
    Pieces pieces;
    std::vector<Point> line;
    std::optional<Point> end;
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      const Point p = place(series, i);
      if (!drawable(curves, p)) {
        pieces.add(line);
        continue;
      }
      end = Point{plot.x + plot.width * x_axis.at(p.x), frame.y(p.y)};
      line.push_back(*end);
    }
    pieces.add(line);
    if (series.name_at_end && end)
      drawing.label("gp-fill " + colour_of(curves, s), end->x + kEndGap, end->y + 4, series.name);
    if (const std::string data = path_data(pieces); !data.empty() && series.mark != Mark::points)
      drawing.path("gp-line " + css_of(curves, s), data);

    const bool has_line = series.mark != Mark::points;
    const bool few = series.x.size() <= (has_line ? kMostDots : kMostLoneDots) && series.mark != Mark::dashed;
    for (std::size_t i = 0; i < series.x.size() && (few || !has_line); ++i) {
      const Point p = place(series, i);
      if (!drawable(curves, p)) continue;
      const std::string name = series.name.empty() ? "" : series.name + ": ";
      drawing.dot("gp-fill " + colour_of(curves, s), plot.x + plot.width * x_axis.at(p.x), frame.y(p.y),
                  few ? 3 : 2, few ? name + brief(series.x[i]) + ", " + brief(p.y) : "");
    }
  }

  std::vector<BottomLabel> labels;
  for (const Tick& tick : x_axis.ticks) labels.push_back({plot.width * x_axis.at(tick.value), tick.label});
  return frame.svg(labels, plot.y + plot.height, 0, end_width(curves));
}

}  // namespace gradus::plot
