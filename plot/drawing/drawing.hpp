#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace gradus::plot {

struct Box {
  double x, y, width, height;
};

struct Cell {
  double t;  ///< position on the heatmap scale, 0 … 1
  Box box;
};

enum class Anchor { start, middle, end };

// Font sizes and the margin, in pixels.
inline constexpr double kFont = 12, kSmall = 10, kTitle = 15, kMargin = 12;

/// Approximate width of the text in pixels.
double text_width(std::string_view text, double size);

/// Approximate width of a title, which is bold.
double title_width(std::string_view text);

/// Builds an SVG. Colours, fonts and strokes come from CSS classes, never from attributes. Many pictures can
/// share a page: a class means the same in every picture, and no element has an id.
///
/// Classes of texts: gp-title, gp-ink or gp-muted, and gp-small for a small size.
/// Classes of lines: gp-grid, gp-axis or gp-line.
/// Classes of texts and areas: gp-fill, or gp-back for the background's colour.
/// Class of invisible areas with a tooltip: gp-hit.
/// gp-line and gp-fill take the colour of series_class().
class Drawing {
 public:
  void line(std::string_view css, double x1, double y1, double x2, double y2);
  void path(std::string_view css, std::string_view data);
  void rect(std::string_view css, const Box& box, std::string_view tooltip = {});
  void dot(std::string_view css, double x, double y, double radius, std::string_view tooltip = {});
  /// Draws text on the baseline `y`, rotated clockwise by `degrees` about (x, y).
  void text(std::string_view css, double x, double y, std::string_view content, Anchor anchor = Anchor::start,
            double degrees = 0);
  /// text() with subscripts and superscripts, as in h_t, b_{hn} and ρ^d. A name of one letter or digit may
  /// have an index: `_` or `^`, then one letter or digit, or several in braces. All other text, such as
  /// no_grad, is drawn unchanged.
  void label(std::string_view css, double x, double y, std::string_view content,
             Anchor anchor = Anchor::start, double degrees = 0);
  /// A cell with the heatmap scale's colour at t, 0 ≤ t ≤ 1.
  void cell(double t, const Box& box, std::string_view tooltip = {});
  /// Cells without tooltips, in one element for each colour.
  void cells(std::span<const Cell> cells);
  /// The outline of a cell that has no colour.
  void empty(const Box& box, std::string_view tooltip = {});
  /// A cross in the middle of the box, for a missing value.
  void missing(const Box& box, std::string_view tooltip = {});
  /// Puts everything drawn until end_group() into a group that is translated, or that has a class.
  void begin_group(double dx, double dy);
  void begin_group(std::string_view css);
  void end_group();
  /// Adds CSS rules for classes that svg() does not define.
  void style(std::string_view rules) { rules_ += rules; }

  /// The SVG, cropped to `view`. Its accessible label is `name`.
  std::string svg(const Box& view, std::string_view name) const;

 private:
  // Draws text whose content is already escaped.
  void escaped_text(std::string_view css, double x, double y, std::string_view content, Anchor anchor,
                    double degrees);

  std::string body_, rules_;
  std::set<int> levels_;  // colour levels of the cells drawn; the style has rules for these only
};

/// The CSS classes of a series: its colour and, once the colours repeat, a dash pattern.
std::string series_class(std::size_t series);

}  // namespace gradus::plot
