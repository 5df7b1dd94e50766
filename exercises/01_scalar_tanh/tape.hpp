#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

/// A tape for single numbers: every operation leaves a node, which knows how its gradient goes on to the
/// numbers that it was computed from.
namespace scalar {

struct Node {
  double data;
  std::function<void(double g)> backward;  ///< given g = ∂L/∂(this), adds to the inputs' gradients; a leaf
                                           ///< has none
  double gradient = 0;  ///< ∂L/∂(this), for the L that backward() was called on
};

/// In the order of computing, so that an operation's inputs stand before it.
using Tape = std::vector<Node>;

/// A handle: which node of which tape.
struct Value {
  Tape* tape;
  std::size_t at;

  Node& node() const { return (*tape)[at]; }
  double data() const { return node().data; }
  double& gradient() const { return node().gradient; }
};

/// A new node at the end of the tape; a leaf without `backward`.
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

/// The gradients of L with respect to all that it was computed from. From the newest node to the oldest: a
/// node's gradient is complete when its turn comes.
inline void backward(Value L) {
  for (Node& node : *L.tape) node.gradient = 0;
  L.gradient() = 1;
  for (std::size_t i = L.at + 1; i-- > 0;) {
    const Node& node = (*L.tape)[i];
    if (node.backward) node.backward(node.gradient);
  }
}

}  // namespace scalar
