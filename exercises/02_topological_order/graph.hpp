#pragma once

#include <deque>
#include <vector>

/// Numbers that know what they were computed from, as the nodes of a graph. There is no tape: nothing says in
/// which order they were made.
namespace scalar {

struct Node;

/// An input of an operation, and ∂(result)/∂(input) at the values that they have.
struct Edge {
  Node* input;
  double slope;
};

struct Node {
  double data;
  std::vector<Edge> edges = {};  ///< to the inputs; none for a leaf, two to the same node for a + a
  double gradient = 0;           ///< ∂L/∂(this), for the L that backward() began at
};

/// Owns its nodes, which stay where they are.
class Graph {
 public:
  Node* leaf(double data) { return node(data, {}); }
  Node* add(Node* a, Node* b) { return node(a->data + b->data, {{a, 1}, {b, 1}}); }
  Node* mul(Node* a, Node* b) { return node(a->data * b->data, {{a, b->data}, {b, a->data}}); }

 private:
  Node* node(double data, const std::vector<Edge>& edges) { return &nodes_.emplace_back(Node{data, edges}); }

  std::deque<Node> nodes_;
};

/// ∂L/∂(node) for each node of `order`, which begins with L. When a node's turn comes it hands its gradient
/// on, so all that goes into it must be there by then.
inline void backward(const std::vector<Node*>& order) {
  for (Node* node : order) node->gradient = 0;
  order.front()->gradient = 1;
  for (const Node* node : order)
    for (const Edge& edge : node->edges) edge.input->gradient += node->gradient * edge.slope;
}

}  // namespace scalar
