#pragma once

#include <gradus/autograd/recorded.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace gradus {

/// Each module path is a box, inside the one of the path before it; that of the empty path is around all.
using Box = const ScopePath*;

/// What is drawn as one: a node of the tape, or several that were merged.
struct Vertex {
  Box box;
  std::vector<const Recorded*> nodes;  // oldest first
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
};

/// Every node of the tape by itself where that gives at most `max_nodes`. Otherwise the operations of each
/// box are merged, and those outside all modules by their names; then leaves into their boxes; then the
/// innermost boxes into those around them, until `max_nodes` are enough, or nothing is left to merge. The
/// nodes, the last of which is the root, must outlive the picture.
Picture picture_of(const std::vector<Recorded>& nodes, std::size_t max_nodes);

}  // namespace gradus
