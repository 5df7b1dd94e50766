#include "drawing/frame.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>

#include "text/number.hpp"
#include "text/unicode.hpp"

namespace gradus::plot {
namespace {

constexpr double kLegendLine = 20;
constexpr int kLongestLabel = 24, kLongestName = 48;  // in terminal columns

// Draws the legend, from (left, top) down, in as many lines as needed. Returns its height.
double draw_legend(Drawing& drawing, const std::vector<Key>& keys, double left, double right, double top) {
  constexpr double kKey = 16, kGap = 6, kBetween = 18;
  double x = left, height = 0;
  for (const auto& [whole_name, css, shape] : keys) {
    if (whole_name.empty()) continue;
    const std::string name = shorten(whole_name, kLongestName);
    const double width = kKey + kGap + text_width(name, kFont);
    if (height == 0) height = kLegendLine;
    if (x > left && x + width > right) x = left, height += kLegendLine;
    const double y = top + height - kLegendLine / 2;  // vertical centre of the entry
    if (shape == KeyShape::line) {
      drawing.line("gp-line " + css, x, y, x + kKey, y);
    } else if (shape == KeyShape::dot) {
      drawing.dot("gp-fill " + css, x + kKey / 2, y, 3);
    } else {
      drawing.rect("gp-fill " + css, {x + 2, y - 6, 12, 12});
    }
    drawing.label("gp-ink", x + kKey + kGap, y + 4, name);
    x += width + kBetween;
  }
  return height == 0 ? 0 : height + 6;
}

// True if neighbouring labels overlap.
bool overlap(const std::vector<BottomLabel>& labels) {
  for (std::size_t i = 1; i < labels.size(); ++i) {
    const double widths = text_width(labels[i - 1].text, kFont) + text_width(labels[i].text, kFont);
    if (labels[i].x - labels[i - 1].x < widths / 2 + 6) return true;
  }
  return false;
}

}  // namespace

Frame::Frame(Drawing& drawing, FrameText text, const std::vector<Key>& keys, Axis y_axis, PlotSize size,
             double headroom)
    : drawing_(drawing), text_(text), y_axis_(std::move(y_axis)) {
  double ticks = 0;
  for (const Tick& tick : y_axis_.ticks) ticks = std::max(ticks, text_width(tick.label, kFont));
  const double left = kMargin + (text.y_label.empty() ? 0 : 24) + std::ceil(ticks) + 8;

  double top = kMargin;
  if (!text.title.empty()) {
    drawing.label("gp-title", kMargin, top + kTitle - 2, text.title);
    top += kTitle + 9;
  }
  top += draw_legend(drawing, keys, kMargin, left + size.width, top) + headroom + 6;
  plot_ = {left, top, size.width, size.height};

  for (const Tick& tick : y_axis_.ticks) {
    drawing.line("gp-grid", left, y(tick.value), left + size.width, y(tick.value));
    drawing.text("gp-muted", left - 8, y(tick.value) + 4, tick.label, Anchor::end);
  }
  drawing.label("gp-ink", kMargin + kFont - 2, top + size.height / 2, text.y_label, Anchor::middle, -90);
}

std::string Frame::svg(const std::vector<BottomLabel>& labels, double axis, double footroom,
                       double beside) const {
  const double bottom = plot_.y + plot_.height + footroom;
  drawing_.line("gp-axis", plot_.x, axis, plot_.x + plot_.width, axis);

  std::vector<BottomLabel> short_labels;
  for (const BottomLabel& label : labels)
    short_labels.push_back({label.x, shorten(label.text, kLongestLabel)});
  const bool turned = overlap(short_labels);
  double height = kFont, left = 0, right = plot_.x + plot_.width + beside;
  for (const auto& [offset, text] : short_labels) {
    const double width = text_width(text, kFont), x = plot_.x + offset;
    if (turned) {
      drawing_.text("gp-muted", x + 4, bottom + 14, text, Anchor::end, -45);
      height = std::max(height, width / std::numbers::sqrt2 + 8);
      left = std::min(left, x - width / std::numbers::sqrt2 - kMargin);
    } else {
      drawing_.text("gp-muted", x, bottom + 17, text, Anchor::middle);
      left = std::min(left, x - width / 2 - kMargin);
      right = std::max(right, x + width / 2);
    }
  }

  double y = bottom + 8 + height;
  if (!text_.x_label.empty()) {
    y += 20;
    drawing_.label("gp-ink", plot_.x + plot_.width / 2, y, text_.x_label, Anchor::middle);
  }
  right = std::max(right, kMargin + title_width(text_.title));
  return drawing_.svg({left, 0, right + kMargin - left, y + kMargin}, text_.title);
}

}  // namespace gradus::plot
