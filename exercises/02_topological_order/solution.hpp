#pragma once

#include <unordered_map>
#include <vector>

#include "02_topological_order/graph.hpp"

using namespace scalar;

// Kahn (1962): a node's turn comes when the last of its uses has been seen. Both loops run over a list that
// grows while they do, so that no depth of the graph needs any stack.
inline std::vector<Node*> topological_order(Node* L) {
  std::unordered_map<Node*, int> uses;  // by the nodes that L needs; an edge is a use
  std::vector<Node*> needed = {L};
  for (std::size_t i = 0; i < needed.size(); ++i)
    for (const Edge& edge : needed[i]->edges)
      if (uses[edge.input]++ == 0) needed.push_back(edge.input);

  std::vector<Node*> order = {L};
  for (std::size_t i = 0; i < order.size(); ++i)
    for (const Edge& edge : order[i]->edges)
      if (--uses[edge.input] == 0) order.push_back(edge.input);
  return order;
}
