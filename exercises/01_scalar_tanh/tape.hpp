#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

/// A tape for scalars. Every operation records a node, whose backward function passes the node's gradient on
/// to the operation's inputs.
namespace scalar {

struct Node {
  double data;
  std::function<void(double g)>
      backward;         ///< given g = ∂L/∂(this), adds to the inputs' gradients; null in a leaf
  double gradient = 0;  ///< ∂L/∂(this), where L is the argument of backward()
};

/// Nodes in the order of computation: inputs precede the operations that use them.
using Tape = std::vector<Node>;

/// A handle to a node: its tape and its index.
struct Value {
  Tape* tape;
  std::size_t at;

  Node& node() const { return (*tape)[at]; }
  double data() const { return node().data; }
  double& gradient() const { return node().gradient; }
};

/// Appends a node to the tape. Without `backward`, the node is a leaf.
inline Value record(Tape& tape, double data, std::function<void(double g)> backward = nullptr) {
  tape.push_back({data, std::move(backward)});
  return {&tape, tape.size() - 1};
}

// y = a + b: ∂y/∂a = 1 and ∂y/∂b = 1
inline Value operator+(Value a, Value b) {
  return record(*a.tape, a.data() + b.data(), [=](double g) {
    a.gradient() += g;
    b.gradient() += g;
  });
}

// y = a b: ∂y/∂a = b and ∂y/∂b = a
inline Value operator*(Value a, Value b) {
  return record(*a.tape, a.data() * b.data(), [=](double g) {
    a.gradient() += g * b.data();
    b.gradient() += g * a.data();
  });
}

/// Sets every node's gradient to ∂L/∂(node). Walks from L back to the oldest node, so that a node's gradient
/// is complete before it is passed on.
inline void backward(Value L) {
  for (Node& node : *L.tape) node.gradient = 0;
  L.gradient() = 1;
  for (std::size_t i = L.at + 1; i-- > 0;) {
    const Node& node = (*L.tape)[i];
    if (node.backward) node.backward(node.gradient);
  }
}

}  // namespace scalar
