#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "table.hpp"

namespace tutorial {

/// A node of a graph to be drawn, with two lines below its name: its value, and its gradient.
struct GraphNode {
  std::string name, value, gradient;
  std::vector<std::size_t> inputs;  ///< nodes that stand before it in the list; one twice is two edges
};

/// The graph from left to right, as SVG in light and dark colours. For graphs of a few dozen nodes;
/// gradus::save_graph draws larger ones by Graphviz.
std::string graph_svg(const std::string& title, const std::vector<GraphNode>& nodes);

/// The same of a tape, with the values and gradients of all that `what` was computed from: a list of nodes
/// with `name`, `data` and `gradient`, and `edges` that each say where they come `from`.
template <class Tape>
std::string tape_svg(const std::string& what, const Tape& tape) {
  std::vector<GraphNode> nodes;
  for (const auto& node : tape) {
    nodes.push_back({node.name, decimals(node.data), "grad " + decimals(node.gradient), {}});
    for (const auto& edge : node.edges) nodes.back().inputs.push_back(edge.from);
  }
  return graph_svg(what + ", with every value and gradient", nodes);
}

}  // namespace tutorial
