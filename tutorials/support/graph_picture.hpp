#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tutorial {

/// A node of a graph to be drawn, with two lines below its name: its value, and its gradient.
struct GraphNode {
  std::string name, value, gradient;
  std::vector<std::size_t> inputs;  ///< nodes that stand before it in the list; one twice is two edges
};

/// The graph from left to right, as SVG in light and dark colours. For graphs of a few dozen nodes;
/// gradus::save_graph draws larger ones by Graphviz.
std::string graph_svg(const std::string& title, const std::vector<GraphNode>& nodes);

}  // namespace tutorial
