#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "table.hpp"

namespace tutorial {

/// A node of a drawn graph: its name, and below it its value and its gradient.
struct GraphNode {
  std::string name, value, gradient;
  std::vector<std::size_t> inputs;  ///< indices of earlier nodes; an index given twice makes two edges
};

/// The graph from left to right, as SVG in light and dark colours. For a few dozen nodes; gradus::save_graph
/// draws larger graphs with Graphviz.
std::string graph_svg(const std::string& title, const std::vector<GraphNode>& nodes);

/// Draws a tape: a list of nodes with `name`, `data`, `gradient` and `edges`. Each edge has the index `from`
/// of an input. The title begins with `what`.
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
