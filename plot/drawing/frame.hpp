#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "drawing/drawing.hpp"
#include "drawing/ticks.hpp"

namespace gradus::plot {

/// Title and axis labels of a plot.
struct FrameText {
  std::string_view title, x_label, y_label;
};

enum class KeyShape { line, square, dot };

/// An entry of the legend. `css` is the CSS class of the entry's colour.
struct Key {
  std::string name, css;
  KeyShape shape;
};

/// The area inside the axes, in pixels.
struct PlotSize {
  double width, height = 240;
};

/// A label below the plot, `x` pixels from the plot's left edge.
struct BottomLabel {
  double x;
  std::string text;
};

/// The title, legend, axes and grid of a plot:
///
///     Frame frame(drawing, text, keys, y_axis, {width, height}, headroom);  // draws title, legend, grid
///     …                                          // draw the plot inside frame.plot()
///     frame.svg(bottom_labels, frame.y(0));      // draws the x axis and its labels
class Frame {
 public:
  /// The legend omits `keys` without a name. `headroom` pixels stay free above the highest tick.
  Frame(Drawing& drawing, FrameText text, const std::vector<Key>& keys, Axis y_axis, PlotSize size,
        double headroom = 0);

  const Box& plot() const { return plot_; }

  /// The pixel row of a value on the y axis.
  double y(double value) const { return plot_.y + plot_.height * (1 - y_axis_.at(value)); }

  /// Draws the x axis at pixel row `axis`, and the labels `footroom` pixels below the plot. The picture
  /// contains at least `beside` pixels to the right of the plot. Returns the SVG.
  std::string svg(const std::vector<BottomLabel>& labels, double axis, double footroom = 0,
                  double beside = 0) const;

 private:
  Drawing& drawing_;
  FrameText text_;
  Axis y_axis_;
  Box plot_;
};

}  // namespace gradus::plot
