#include <gradus/plot/terminal.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "charts/heatmap_cells.hpp"
#include "drawing/palette.hpp"
#include "text/number.hpp"
#include "text/unicode.hpp"

namespace gradus::plot {
namespace {

constexpr int kCell = 2;  // width of a cell in terminal columns
constexpr int kLongestRowLabel = 16, kLongestColumnLabel = 12;

std::string spaces(int count) { return std::string(static_cast<std::size_t>(std::max(count, 0)), ' '); }

std::string padded(const std::string& text, int columns) { return text + spaces(columns - columns_of(text)); }

// A line of cells. Writes an escape code only when the colour changes.
class Cells {
 public:
  explicit Cells(Colour colour) : colour_(colour) {}

  // Adds a cell with the colour at t of the scale, 0 ≤ t ≤ 1; a missing cell if t is NaN.
  void add(double t) {
    if (colour_ == Colour::none) {
      constexpr std::array<const char*, 5> kShades = {"  ", "░░", "▒▒", "▓▓", "██"};
      text_ += std::isnan(t) ? "··" : kShades[std::min<std::size_t>(4, static_cast<std::size_t>(t * 5))];
    } else {
      switch_to(std::isnan(t) ? "" : background(t));
      text_ += std::isnan(t) ? "··" : "  ";
    }
  }

  std::string text() {
    switch_to("");
    return text_;
  }

 private:
  std::string background(double t) const {
    if (colour_ == Colour::ansi256) return "48;5;" + std::to_string(ramp256(t));
    const Rgb rgb = ramp(t, Theme::dark);
    return "48;2;" + std::to_string(rgb.red) + ";" + std::to_string(rgb.green) + ";" +
           std::to_string(rgb.blue);
  }

  void switch_to(const std::string& code) {
    if (code == code_) return;
    text_ += "\x1b[" + (code.empty() ? "0" : code) + "m";
    code_ = code;
  }

  Colour colour_;
  std::string text_, code_;
};

// The characters of a label, each with its combining marks.
std::vector<std::string> characters(const std::string& text) {
  std::vector<std::string> out;
  for (const char32_t code : decode(text)) {
    if (out.empty() || columns_of(code) > 0) out.emplace_back();
    append_utf8(out.back(), code);
  }
  return out;
}

// The lines above the cells. Labels are written downwards, and end directly above their column.
std::string column_labels(const std::vector<std::string>& labels, int indent) {
  std::vector<std::vector<std::string>> columns;
  std::size_t height = 0;
  for (const std::string& label : labels) {
    std::vector<std::string> column = characters(one_line(label));
    if (column.size() > kLongestColumnLabel) {
      column.resize(kLongestColumnLabel);
      column.back() = "…";
    }
    height = std::max(height, column.size());
    columns.push_back(std::move(column));
  }

  std::string out;
  for (std::size_t line = 0; line < height; ++line) {
    std::string text = spaces(indent);
    for (const auto& column : columns) {
      const std::size_t blank = height - column.size();
      text += padded(line < blank ? "" : column[line - blank], kCell);
    }
    out += text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

// A block of text: the columns [first, last), with labels.
std::string block(const Heatmap& heatmap, const std::vector<std::string>& rows, int indent, std::size_t first,
                  std::size_t last, Colour colour) {
  const auto begin = heatmap.columns.begin();
  std::string out = column_labels(
      {begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(last)}, indent);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    Cells cells(colour);
    for (std::size_t c = first; c < last; ++c) cells.add(scaled(heatmap, value_at(heatmap, r, c)));
    out += spaces(indent - 1 - columns_of(rows[r])) + rows[r] + " " + cells.text() + "\n";
  }
  return out;
}

}  // namespace

std::string terminal(const Heatmap& heatmap, Colour colour, int width) {
  check(heatmap, "terminal");
  std::vector<std::string> rows;
  int indent = 0;  // number of terminal columns before the cells
  for (const std::string& row : heatmap.rows) {
    rows.push_back(shorten(row, kLongestRowLabel));
    indent = std::max(indent, columns_of(rows.back()) + 1);
  }
  const std::size_t count = heatmap.columns.size();
  const std::size_t fit = width > 0 ? static_cast<std::size_t>(std::max(1, (width - indent) / kCell)) : count;

  std::string out;
  if (!heatmap.title.empty()) out += one_line(heatmap.title) + "\n";
  if (!heatmap.y_label.empty() || !heatmap.x_label.empty()) {
    out += "↓ " + one_line(heatmap.y_label) + "  → " + one_line(heatmap.x_label) + "\n";
  }
  for (std::size_t first = 0; first < count; first += fit) {
    if (!out.empty()) out += "\n";
    out += block(heatmap, rows, indent, first, std::min(first + fit, count), colour);
  }

  constexpr int kScaleCells = 10;
  Cells scale(colour);
  for (int i = 0; i < kScaleCells; ++i) scale.add(i / (kScaleCells - 1.0));
  return out + "\n" + spaces(indent) + brief(heatmap.min) + " " + scale.text() + " " + brief(heatmap.max) +
         "\n";
}

}  // namespace gradus::plot
