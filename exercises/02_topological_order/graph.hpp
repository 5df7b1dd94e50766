#pragma once

#include <deque>
#include <vector>

/// A graph of scalars, each with edges to its inputs. Without a tape, the order of computation is not
/// recorded.
namespace scalar {

struct Node;

/// An input of an operation, and ∂(result)/∂(input) at the current values.
struct Edge {
  Node* input;
  double slope;
};

struct Node {
  double data;
  std::vector<Edge> edges = {};  ///< to the inputs; empty in a leaf; two to the same node for a + a
  double gradient = 0;           ///< ∂L/∂(this), where L is the first node in backward()
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

/// Sets the gradient of each node of `order`, which begins with L, to ∂L/∂(node). The nodes pass on their
/// gradients in this order, so that each must come after all nodes that use it.
inline void backward(const std::vector<Node*>& order) {
  for (Node* node : order) node->gradient = 0;
  order.front()->gradient = 1;
  for (const Node* node : order)
    for (const Edge& edge : node->edges) edge.input->gradient += node->gradient * edge.slope;
}

}  // namespace scalar
