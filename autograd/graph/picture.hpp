#pragma once

#include <gradus/autograd/runtime.hpp>
#include <gradus/autograd/shape.hpp>
#include <gradus/autograd/tensor.hpp>

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "node.hpp"

namespace gradus {

/// Each module path is a box, inside the one of the path before it; that of the empty path is around all.
using Box = const ScopePath*;

/// What is drawn as one: a node of the tape, or several that were merged.
struct Vertex {
  Box box;
  std::vector<const Node*> nodes;  // oldest first
};

struct Edge {
  std::size_t from, to;
  Shape shape;  // of what goes along it
  std::size_t count = 1;
  bool same_shape = true;
};

/// What a picture of the tape behind a tensor shows, and in which order.
struct Picture {
  std::vector<Vertex> vertices;  // in the order of their oldest nodes
  std::vector<Edge> edges;       // in the order of the operations, and of their inputs
  std::size_t root = 0;          // the vertex of the tensor itself
  std::unordered_map<const Node*, std::string> names;
};

/// Every node of the tape by itself where that gives at most `max_nodes`. Otherwise the operations of each
/// box are merged, and those outside all modules by their names; then leaves into their boxes; then the
/// innermost boxes into those around them, until `max_nodes` are enough, or nothing is left to merge.
/// @throws Error when part of the tape was freed.
Picture picture_of(const Node& root, const NamedTensors& names, std::size_t max_nodes);

}  // namespace gradus
