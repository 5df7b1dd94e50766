#pragma once

#include <unordered_map>
#include <vector>

#include "02_topological_order/graph.hpp"

using namespace scalar;

// Kahn (1962): appends a node once all its users are in the list. Both loops iterate over a growing list
// instead of recursing, so deep graphs cannot overflow the stack.
inline std::vector<Node*> topological_order(Node* L) {
  std::unordered_map<Node*, int> uses;  // number of edges to each node from nodes in `needed`
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
