#pragma once

#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::plot {

/// A plain table. A column is right-aligned if all of its cells are numbers, percentages or empty.
struct Table {
  std::vector<std::string> columns{};            ///< the headings
  std::vector<std::vector<std::string>> rows{};  ///< one cell per column
};

/// A section of a page. The page shows the members in this order, and leaves out empty ones.
struct Section {
  std::string heading{};
  std::vector<std::string> paragraphs{};
  std::vector<std::string> svgs{};  ///< from svg(), strip() or animation(); side by side if they fit
  Table table{};
  std::string preformatted{};  ///< a program's output, in a fixed-width font
};

/// A page with sections.
struct Page {
  std::string title{};
  std::vector<std::string> intro{};  ///< paragraphs
  std::vector<Section> sections{};
};

/// Returns `page` as a self-contained HTML file, without scripts or requests. The page suits light and dark
/// themes, phones and desktops.
///
/// Texts are escaped. SVGs are embedded unchanged; they do not interfere with each other.
/// Throws Error if an SVG does not begin with `<svg`, or a table row does not have one cell per column.
std::string html(const Page& page);

}  // namespace gradus::plot
#pragma GCC visibility pop
