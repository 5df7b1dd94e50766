#pragma once

#include <gradus/autograd/recorded.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace gradus {

/// A module path, drawn as a box inside the box of its parent path. The root path is the outermost box.
using Box = const ScopePath*;

/// A drawn node: one node of the tape, or several merged nodes.
struct Vertex {
  Box box;
  std::vector<const Recorded*> nodes;  // oldest first
};

struct Edge {
  std::size_t from, to;
  Shape shape;  // shape of the tensor
  std::size_t count = 1;
  bool same_shape = true;
};

/// The contents of a picture of the tape that computed a tensor.
struct Picture {
  std::vector<Vertex> vertices;  // in the order of their oldest nodes
  std::vector<Edge> edges;       // in the order of the operations and of their inputs
  std::size_t root = 0;          // index of the vertex that holds the tensor itself
};

/// Makes one vertex per node of the tape if the tape has at most `max_nodes` nodes. Otherwise merges the
/// operations of each box, and operations outside all modules by name. If more vertices than `max_nodes`
/// remain, also merges leaves into their boxes. If that does not suffice, merges the innermost boxes into
/// their parents, and begins again with separate leaves. Ends when there are at most `max_nodes` vertices or
/// nothing is left to merge.
/// The last of `nodes` is the root. `nodes` must outlive the picture.
Picture picture_of(const std::vector<Recorded>& nodes, std::size_t max_nodes);

}  // namespace gradus
