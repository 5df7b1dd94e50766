#pragma once

#include <deque>
#include <vector>

/// A graph of scalars: each node has edges to its inputs. There is no tape, so the order of computation is
/// not recorded.
namespace scalar {

struct Node;

/// An input of an operation, and ∂(result)/∂(input) at the current values.
struct Edge {
  Node* input;
  double slope;
};

struct Node {
  double data;
  std::vector<Edge> edges = {};  ///< to the inputs; empty in a leaf; a + a has two equal edges
  double gradient = 0;           ///< ∂L/∂(this); L is the first node of backward()'s order
};

/// Owns its nodes; their addresses do not change.
class Graph {
 public:
  Node* leaf(double data) { return node(data, {}); }
  Node* add(Node* a, Node* b) { return node(a->data + b->data, {{a, 1}, {b, 1}}); }
  Node* mul(Node* a, Node* b) { return node(a->data * b->data, {{a, b->data}, {b, a->data}}); }

 private:
  Node* node(double data, const std::vector<Edge>& edges) { return &nodes_.emplace_back(Node{data, edges}); }

  std::deque<Node> nodes_;
};

/// Sets the gradient of each node in `order` to ∂L/∂(node). `order` begins with L. The nodes pass on their
/// gradients in this order, so each node must come after all nodes that use it.
inline void backward(const std::vector<Node*>& order) {
  for (Node* node : order) node->gradient = 0;
  order.front()->gradient = 1;
  for (const Node* node : order)
    for (const Edge& edge : node->edges) edge.input->gradient += node->gradient * edge.slope;
}

}  // namespace scalar
