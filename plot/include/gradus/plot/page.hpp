#pragma once

#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::plot {

/// A plain table. A column whose cells are all numbers (or empty) is aligned to the right.
struct Table {
  std::vector<std::string> columns{};            ///< the headings
  std::vector<std::vector<std::string>> rows{};  ///< each with one cell a column
};

/// A part of a page, drawn in the order of its members; what is empty is left out.
struct Section {
  std::string heading{};
  std::vector<std::string> paragraphs{};
  std::vector<std::string> svgs{};  ///< what svg(…) and its like gave, side by side where they fit
  Table table{};
  std::string preformatted{};  ///< kept line by line in a fixed-width font: a program's output
};

/// A report.
struct Page {
  std::string title{};
  std::vector<std::string> intro{};  ///< paragraphs
  std::vector<Section> sections{};
};

/// Writes `page` as one HTML file that needs nothing else: no script, no request, light and dark, from phone
/// to desktop.
///
/// Texts are escaped, SVGs are put in as they are (they do not interfere with each other).
/// Throws Error if an SVG does not begin with `<svg`, or a table's row does not have one cell a column.
std::string html(const Page& page);

}  // namespace gradus::plot
#pragma GCC visibility pop
