#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

namespace gradus::plot {

struct Box {
  double x, y, width, height;
};

enum class Anchor { start, middle, end };

// Font sizes in pixels, and the classes that have them.
inline constexpr double kFont = 12, kSmall = 10, kTitle = 15, kMargin = 12;

/// Pixels that the text takes in the drawing's font, about.
double text_width(std::string_view text, double size);

/// The same for a title, which is bold.
double title_width(std::string_view text);

/// An SVG in the making. Colours, fonts and strokes come from the classes below, never from attributes. A
/// class means the same in every picture and no element has an id, so that many pictures can share one page.
///
/// Text: gp-title, gp-ink, gp-muted, and gp-small for the size. Lines: gp-grid, gp-axis, gp-line. Areas:
/// gp-fill; gp-hit cannot be seen, but has a tooltip. gp-line and gp-fill take the colour of series_class.
class Drawing {
 public:
  void line(std::string_view css, double x1, double y1, double x2, double y2);
  void path(std::string_view css, std::string_view data);
  void rect(std::string_view css, const Box& box, std::string_view tooltip = {});
  void dot(std::string_view css, double x, double y, double radius, std::string_view tooltip = {});
  /// `y` is the baseline; turned by `degrees`, clockwise, about (x, y).
  void text(std::string_view css, double x, double y, std::string_view content, Anchor anchor = Anchor::start,
            double degrees = 0);
  /// A cell at t of the heatmaps' scale, 0 ≤ t ≤ 1.
  void cell(double t, const Box& box, std::string_view tooltip = {});
  /// A cross in the middle of the box: there is no value.
  void missing(const Box& box, std::string_view tooltip = {});
  /// Moves what is drawn until end_group(), or gives all of it a class.
  void begin_group(double dx, double dy);
  void begin_group(std::string_view css);
  void end_group();
  /// Adds rules for classes that this picture alone has.
  void style(std::string_view rules) { rules_ += rules; }

  /// What lies in `view`, as an SVG with this name for those who cannot see it.
  std::string svg(const Box& view, std::string_view name) const;

 private:
  std::string body_, rules_;
  std::set<int> levels_;  // of the cells, so that the style lists no others
};

/// The colour of a series, and its dashes once the colours repeat.
std::string series_class(std::size_t series);

}  // namespace gradus::plot
