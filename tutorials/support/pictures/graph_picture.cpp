#include "graph_picture.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

namespace tutorial {

namespace {

constexpr double box_width = 88, box_height = 56, gap_x = 30, gap_y = 40, margin = 14, title_height = 34;
constexpr double line_height = 15;

constexpr const char* style =
    "<style>.tg{font:12px system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif;max-width:100%;"
    "height:auto}.tg-title{font-size:15px;font-weight:600}.tg-name{font-weight:600}"
    ".tg-page{fill:#ffffff}.tg-ink{fill:#1f2328}.tg-value{fill:#1f6fd0}.tg-gradient{fill:#c2255c}"
    ".tg-box{fill:#ffffff;stroke:#7c9cc4}.tg-leaf{fill:#eef8ee;stroke:#6fae7c}"
    ".tg-edge{fill:none;stroke:#59636e;stroke-width:1.2}.tg-slope{fill:#59636e}"
    "@media(prefers-color-scheme:dark){.tg-page{fill:#0f141a}.tg-ink{fill:#e6edf3}.tg-value{fill:#5aa9ff}"
    ".tg-gradient{fill:#ff7ba8}.tg-box{fill:#18222e;stroke:#5a7ba5}.tg-leaf{fill:#16281d;stroke:#4f8a5f}"
    ".tg-edge{stroke:#9aa7b4}.tg-slope{fill:#9aa7b4}}</style>";

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text)
    result += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  return result;
}

// A use of a node: input number `as` of node `by`.
struct Use {
  std::size_t by, as;
};
using Uses = std::vector<std::vector<Use>>;  // [node]: all its uses

Uses uses_of(const std::vector<GraphNode>& nodes) {
  Uses uses(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (std::size_t k = 0; k < nodes[i].inputs.size(); ++k) uses[nodes[i].inputs[k].from].push_back({i, k});
  }
  return uses;
}

// Each node's row, from 0 at the bottom. A result is above its inputs, a leaf just below its first use.
std::vector<std::size_t> rows_of(const std::vector<GraphNode>& nodes, const Uses& uses) {
  std::vector<std::size_t> rows(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const GraphNode::Input& input : nodes[i].inputs) rows[i] = std::max(rows[i], rows[input.from] + 1);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i].inputs.empty() || uses[i].empty()) continue;
    rows[i] = rows[uses[i].front().by] - 1;
  }
  return rows;
}

struct Point {
  double x, y;
};

// The positions of the nodes, computed from the top row down. Sorts each row's nodes by the positions of
// their uses, to avoid crossings.
std::vector<Point> places_of(const std::vector<GraphNode>& nodes) {
  const Uses uses = uses_of(nodes);
  const std::vector<std::size_t> rows = rows_of(nodes, uses);
  std::map<std::size_t, std::vector<std::size_t>, std::greater<>> in_row;
  std::size_t most = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    in_row[rows[i]].push_back(i);
    most = std::max(most, in_row[rows[i]].size());
  }

  std::vector<Point> places(nodes.size());
  double y = title_height + margin;
  for (auto& [row, members] : in_row) {
    const auto mean_use = [&](std::size_t i) {
      double sum = 0;
      for (const Use& use : uses[i]) sum += places[use.by].x + static_cast<double>(use.as);
      return uses[i].empty() ? 0 : sum / static_cast<double>(uses[i].size());
    };
    std::stable_sort(members.begin(), members.end(),
                     [&](std::size_t a, std::size_t b) { return mean_use(a) < mean_use(b); });
    const double unused = static_cast<double>(most - members.size()) * (box_width + gap_x);
    for (std::size_t at = 0; at < members.size(); ++at)
      places[members[at]] = {margin + unused / 2 + static_cast<double>(at) * (box_width + gap_x), y};
    y += box_height + gap_y;
  }
  return places;
}

// Draws the edge from an input up to a result. The edge starts offset / 2 to the right of the input's middle,
// and ends `offset` to the right of the result's middle. A negative offset means to the left. The slope is
// written above the input, on the side away from the result. If the result is nearly straight above, the
// slope is on the left for a negative offset, and otherwise on the right.
void draw_edge(std::ostream& out, const std::string& slope, Point from, Point to, double offset) {
  const double x1 = from.x + box_width / 2 + offset / 2, y1 = from.y;
  const double x2 = to.x + box_width / 2 + offset, y2 = to.y + box_height, bend = (y1 - y2) / 2;
  out << "<path class=\"tg-edge\" d=\"M" << x1 << ' ' << y1 << 'C' << x1 << ' ' << y1 - bend << ' ' << x2
      << ' ' << y2 + bend << ' ' << x2 << ' ' << y2 << "\"/>";
  const bool left = std::abs(x2 - x1) > box_width / 4 ? x2 > x1 : offset < 0;
  out << "<text class=\"tg-slope\" x=\"" << x1 + (left ? -6 : 6) << "\" y=\"" << y1 - 7 << "\" text-anchor=\""
      << (left ? "end" : "start") << "\">" << escaped(slope) << "</text>";
}

void draw_node(std::ostream& out, const GraphNode& node, Point at) {
  out << "<rect class=\"" << (node.inputs.empty() ? "tg-leaf" : "tg-box") << "\" x=\"" << at.x << "\" y=\""
      << at.y << "\" width=\"" << box_width << "\" height=\"" << box_height << "\" rx=\"6\"/>";
  double y = at.y + 17;
  const auto line = [&](const char* css, const std::string& text) {
    out << "<text class=\"" << css << "\" x=\"" << at.x + box_width / 2 << "\" y=\"" << y
        << "\" text-anchor=\"middle\">" << escaped(text) << "</text>";
    y += line_height;
  };
  line("tg-ink tg-name", node.name);
  line("tg-value", node.value);
  line("tg-gradient", node.gradient);
}

}  // namespace

std::string graph_svg(const std::string& title, const std::vector<GraphNode>& nodes) {
  const std::vector<Point> places = places_of(nodes);
  double width = 0, height = 0;
  for (const Point& place : places) {
    width = std::max(width, place.x + box_width + margin);
    height = std::max(height, place.y + box_height + margin);
  }
  std::ostringstream out;
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"tg\" role=\"img\" aria-label=\"" << escaped(title)
      << "\" width=\"" << width << "\" height=\"" << height << "\" viewBox=\"0 0 " << width << ' ' << height
      << "\">" << style << "<rect class=\"tg-page\" width=\"" << width << "\" height=\"" << height << "\"/>"
      << "<text class=\"tg-ink tg-title\" x=\"" << margin << "\" y=\"27\">" << escaped(title) << "</text>";
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::vector<GraphNode::Input>& inputs = nodes[i].inputs;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const double between = static_cast<double>(k) - static_cast<double>(inputs.size() - 1) / 2;
      draw_edge(out, inputs[k].slope, places[inputs[k].from], places[i], 24 * between);
    }
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) draw_node(out, nodes[i], places[i]);
  out << "</svg>";
  return out.str();
}

}  // namespace tutorial
