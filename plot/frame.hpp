#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "drawing.hpp"
#include "ticks.hpp"

namespace gradus::plot {

/// What stands around a plot.
struct FrameText {
  std::string_view title, x_label, y_label;
};

enum class KeyShape { line, square };

/// A label below the plot, at `x` pixels from its left end.
struct BottomLabel {
  double x;
  std::string text;
};

/// Title, legend, both axes and the grid around a plot.
///
///     Frame frame(drawing, text, names, shape, y_axis, width, headroom);  // what lies behind the plot
///     …                                                                  // the plot, in the box
///     frame.plot() frame.svg(bottom_labels, frame.y(0))
class Frame {
 public:
  /// `names` are the series' in the legend; an empty one is left out. The plot is `width` pixels wide;
  /// `headroom` pixels stay free above the highest tick.
  Frame(Drawing& drawing, FrameText text, const std::vector<std::string>& names, KeyShape shape, Axis y_axis,
        double width, double headroom = 0);

  const Box& plot() const { return plot_; }

  /// The pixel of a value of the y axis.
  double y(double value) const { return plot_.y + plot_.height * (1 - y_axis_.at(value)); }

  /// Draws the x axis at the pixel `axis`, then what lies below the plot, `footroom` pixels lower; gives the
  /// picture.
  std::string svg(const std::vector<BottomLabel>& labels, double axis, double footroom = 0) const;

 private:
  Drawing& drawing_;
  FrameText text_;
  Axis y_axis_;
  Box plot_;
};

}  // namespace gradus::plot
