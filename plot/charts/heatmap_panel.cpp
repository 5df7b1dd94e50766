#include "charts/heatmap_panel.hpp"

#include <gradus/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <vector>

#include "charts/heatmap_cells.hpp"
#include "drawing/drawing.hpp"
#include "text/join.hpp"
#include "text/number.hpp"
#include "text/unicode.hpp"

namespace gradus::plot {
namespace {

constexpr double kGap = 6;
constexpr double kWithGap = 10;    // the smallest cell, in pixels, that has a gap to the next one
constexpr int kLongestToken = 20;  // in terminal columns

std::vector<std::string> shortened(const std::vector<std::string>& labels) {
  std::vector<std::string> out;
  for (const std::string& label : labels) out.push_back(shorten(label, kLongestToken));
  return out;
}

constexpr double kBracket = 6;  // width, in pixels

std::vector<std::string> names_of(const std::vector<RowGroup>& groups) {
  std::vector<std::string> names;
  for (const RowGroup& group : groups) names.push_back(group.name);
  return names;
}

double widest(const std::vector<std::string>& labels, double font) {
  double width = 0;
  for (const std::string& label : labels) width = std::max(width, text_width(label, font));
  return width;
}

// Sizes and positions within a panel.
struct Layout {
  std::vector<std::string> columns, rows;
  double cell_width, cell_height, font;
  double turn;  // angle of the column labels, in degrees
  double columns_height;
  double top, left;  // corner of the grid of cells, in whole pixels for sharp edges

  explicit Layout(const Heatmap& heatmap)
      : columns(shortened(heatmap.columns)), rows(shortened(heatmap.rows)) {
    const double cell =
        std::clamp(std::floor(heatmap.side / static_cast<double>(std::max(columns.size(), rows.size()))),
                   kWithGap, 32.0);
    const bool has_width = heatmap.cell_width > 0;
    cell_width = has_width ? heatmap.cell_width : cell;
    cell_height = heatmap.cell_height > 0 ? heatmap.cell_height : cell;
    font = has_width || cell >= 16 ? kFont : kSmall;
    const double label = widest(columns, font);
    turn = has_width || label <= cell - 3 ? 0 : cell >= 17 ? -45 : -90;
    columns_height = turn == 0 ? font : turn == -90 ? label : label / std::numbers::sqrt2 + 6;
    top = kMargin + (heatmap.title.empty() ? 0 : kTitle + 9) + (heatmap.x_label.empty() ? 0 : kFont + 9) +
          std::ceil(columns_height) + kGap;
    const double beside = heatmap.groups.empty() ? widest(rows, font)
                                                 : widest(names_of(heatmap.groups), kFont) + kBracket + kGap;
    left = kMargin + (heatmap.y_label.empty() ? 0 : kFont + 12) + std::ceil(beside) + kGap;
  }

  double width() const { return cell_width * static_cast<double>(columns.size()); }
  double height() const { return cell_height * static_cast<double>(rows.size()); }
  bool has_gaps() const { return std::min(cell_width, cell_height) >= kWithGap; }
  std::string text_class() const { return font == kFont ? "gp-ink" : "gp-ink gp-small"; }
};

// Draws the column labels. Returns the right edge of the labels and the grid.
double draw_column_labels(Drawing& drawing, const Layout& at) {
  double right = at.left + at.width();
  for (std::size_t c = 0; c < at.columns.size(); ++c) {
    const double x = at.left + (static_cast<double>(c) + 0.5) * at.cell_width, y = at.top - kGap;
    if (at.turn == 0) {
      drawing.text(at.text_class(), x, y, at.columns[c], Anchor::middle);
    } else {
      drawing.text(at.text_class(), x + at.font * 0.35, y, at.columns[c], Anchor::start, at.turn);
    }
    if (at.turn == -45) {
      right = std::max(right, x + (text_width(at.columns[c], at.font) + at.font) / std::numbers::sqrt2);
    }
  }
  return right;
}

// Draws a bracket beside each group of rows, and the group's name left of it.
void draw_groups(Drawing& drawing, const Heatmap& heatmap, const Layout& at) {
  const double right = at.left - kGap + 2;
  double y = at.top;
  for (const auto& [name, rows] : heatmap.groups) {
    if (rows == 0) continue;
    const double height = at.cell_height * static_cast<double>(rows);
    drawing.path("gp-axis", join("M", pixels(right), " ", pixels(y + 1), "h-", pixels(kBracket), "v",
                                 pixels(height - 3), "h", pixels(kBracket)));
    drawing.text("gp-ink", right - kBracket - kGap, y + height / 2 + kFont * 0.35 - 1, name, Anchor::end);
    y += height;
  }
}

void draw_cells(Drawing& drawing, const Heatmap& heatmap, const Layout& at) {
  std::vector<Cell> touching;
  const double gap = at.has_gaps() ? 1 : 0;
  for (std::size_t r = 0; r < at.rows.size(); ++r) {
    const double y = at.top + static_cast<double>(r) * at.cell_height;
    if (heatmap.groups.empty()) {
      drawing.text(at.text_class(), at.left - kGap, y + at.cell_height / 2 + at.font * 0.35, at.rows[r],
                   Anchor::end);
    }
    for (std::size_t c = 0; c < at.columns.size(); ++c) {
      const double value = value_at(heatmap, r, c);
      const bool is_empty = heatmap.empty_zeros && value == 0;
      const Box box = {at.left + static_cast<double>(c) * at.cell_width, y, at.cell_width - gap,
                       at.cell_height - gap};
      if (!at.has_gaps()) {
        if (!std::isnan(value) && !is_empty) touching.push_back({scaled(heatmap, value), box});
        continue;
      }
      const std::string name = heatmap.rows[r] + ", " + heatmap.columns[c] + ": ";
      if (std::isnan(value)) {
        drawing.missing(box, name + "missing");
      } else if (is_empty) {
        drawing.empty(box, name + "0");
      } else {
        drawing.cell(scaled(heatmap, value), box, name + brief(value));
      }
    }
  }
  drawing.cells(touching);
}

constexpr double kScale = 10;       // width of the colour scale, in pixels
constexpr double kBelowScale = 10;  // from the scale to the legend of the empty cells

// Draws the colour scale, max at the top and min at the bottom, with its top left corner at (x, y). Below the
// scale is the legend of the empty cells, if there are any. Returns the right edge.
double draw_scale(Drawing& drawing, const Heatmap& heatmap, double x, double y, double height) {
  constexpr int kSteps = 32;
  for (int i = 0; i < kSteps; ++i) {
    // Each step is twice as high as needed. The next step covers its lower half, so no seam shows between
    // them.
    const double top = height * i / kSteps, rest = std::min(height - top, 2 * height / kSteps);
    drawing.cell(1 - i / (kSteps - 1.0), {x, y + top, kScale, rest});
  }
  drawing.label("gp-ink", x, y - 7, heatmap.scale_name);
  double right = x + text_width(heatmap.scale_name, kFont);
  const auto label = [&](const std::string& text, double at) {
    drawing.text("gp-muted gp-small", x + kScale + 5, y + at + 3.5, text);
    right = std::max(right, x + kScale + 5 + text_width(text, kSmall));
  };
  label(brief(heatmap.max), 3);
  if (height >= 60) label(brief(heatmap.min + (heatmap.max - heatmap.min) / 2), height / 2);
  label(brief(heatmap.min), height - 3);
  if (heatmap.empty_zeros) {
    drawing.empty({x, y + height + kBelowScale, kScale, kScale});
    label("exactly 0", height + kBelowScale + kScale / 2);
  }
  return right;
}

}  // namespace

Panels::Panels(const std::vector<Heatmap>& heatmaps, std::string_view function) {
  if (heatmaps.empty()) throw Error(join("plot::", function, ": no heatmaps; give at least one"));
  for (const Heatmap& heatmap : heatmaps) {
    check(heatmap, function);
    const Layout at(heatmap);
    grid_top = std::max(grid_top, at.top);
    grid_left = std::max(grid_left, at.left);
    same_scale = same_scale && heatmap.min == heatmaps[0].min && heatmap.max == heatmaps[0].max &&
                 heatmap.empty_zeros == heatmaps[0].empty_zeros;
    name += (name.empty() ? "" : ", ") + heatmap.title;
  }
}

Size draw_panel(Drawing& drawing, const Heatmap& heatmap, bool colour_scale, double grid_top,
                double grid_left) {
  Layout at(heatmap);
  at.top = std::max(at.top, grid_top);
  at.left = std::max(at.left, grid_left);
  drawing.label("gp-title", kMargin, kMargin + kTitle - 2, heatmap.title);
  drawing.label("gp-muted", at.left + at.width() / 2, at.top - at.columns_height - kGap - 9, heatmap.x_label,
                Anchor::middle);
  drawing.label("gp-muted", kMargin + kFont - 2, at.top + at.height() / 2, heatmap.y_label, Anchor::middle,
                -90);
  double right = draw_column_labels(drawing, at);
  draw_groups(drawing, heatmap, at);
  draw_cells(drawing, heatmap, at);
  double bottom = at.height();
  if (colour_scale) {
    const double height = std::clamp(at.height() - 1, 40.0, 160.0);
    bottom = std::max(bottom, heatmap.empty_zeros ? height + kBelowScale + kScale : 40.0);
    right = std::max(right, draw_scale(drawing, heatmap, at.left + at.width() + 14, at.top, height));
  }
  right = std::max({right, kMargin + title_width(heatmap.title),
                    at.left + (at.width() + text_width(heatmap.x_label, kFont)) / 2});
  return {right + kMargin, at.top + bottom + kMargin};
}

}  // namespace gradus::plot
