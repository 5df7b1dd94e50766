#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "support/page/table.hpp"

namespace tutorial {

/// A node of a drawn graph. The picture shows its name, and below the name its value and its gradient.
struct GraphNode {
  struct Input {
    std::size_t from;   ///< index of an earlier node; two inputs with the same index give two edges
    std::string slope;  ///< written beside the edge
  };
  std::string name, value, gradient;
  std::vector<Input> inputs;
};

/// The graph as SVG in light and dark colours, with results above their inputs. Suits a few dozen nodes;
/// gradus::save_graph draws larger graphs with Graphviz.
std::string graph_svg(const std::string& title, const std::vector<GraphNode>& nodes);

/// Draws a tape: a list of nodes with members `name`, `data`, `gradient` and `edges`. An edge has members
/// `from`, the index of an input, and `slope`. `what` begins the title.
template <class Tape>
std::string tape_svg(const std::string& what, const Tape& tape) {
  std::vector<GraphNode> nodes;
  for (const auto& node : tape) {
    nodes.push_back({node.name, decimals(node.data), "grad " + decimals(node.gradient), {}});
    for (const auto& edge : node.edges) nodes.back().inputs.push_back({edge.from, decimals(edge.slope)});
  }
  return graph_svg(what + ": values, slopes, gradients", nodes);
}

}  // namespace tutorial
