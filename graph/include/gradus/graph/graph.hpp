#pragma once

#include <gradus/autograd/tensor.hpp>

#include <cstddef>
#include <string>

#pragma GCC visibility push(default)
/// Pictures of the recorded operations that computed a tensor. Graphviz draws them.
///
///     save_graph(loss, "loss.svg", {model.named_parameters()});
namespace gradus {

struct GraphOptions {
  NamedTensors names = {};      ///< names of tensors, for example module.named_parameters()
  std::size_t max_nodes = 100;  ///< if there are more, each module is drawn as one node
};

/// The recorded operations that computed `root`, in Graphviz's DOT language. Each operation and each leaf is
/// a node. A node shows its name, its shape unless it is a scalar, and its dtype unless the dtype is f32. A
/// node of at most 8 elements also shows its values and its gradient. After backward(), leaves have a
/// gradient; results have one only if retain_grad() was called on them. Edges run from inputs to results, one
/// edge for each use. The root has a thick border. Modules are nested boxes. A named leaf is in the box of
/// its module, and an unnamed leaf in the smallest box that contains its uses. Constants are not on the tape,
/// so they are not drawn.
///
/// With more than `max_nodes` nodes, all operations of a module, at all steps, are merged into one node.
/// Operations outside modules are merged by name. If there are still too many nodes, leaves are merged with
/// the operations in their box. If that does not suffice, the innermost modules are merged into their
/// parents, and both ways of drawing leaves are tried again; this is repeated until the nodes are few enough
/// or no module is left to merge. In a merged picture, several edges between two nodes are drawn as one edge,
/// labelled with their number.
///
/// The text depends only on the graph and the options, so equal calls return the same text.
/// @throws Error when `root` requires no gradient, or its tape was freed by an earlier backward().
std::string draw_graph(const Tensor& root, const GraphOptions& options = {});

/// Writes draw_graph() to a `.dot` file, or draws an `.svg` file with Graphviz's program `dot`, which must be
/// on the PATH. The file is written atomically.
/// @throws Error as draw_graph() does; for another extension; for a path that cannot be written; and when
/// `dot` is missing or fails.
void save_graph(const Tensor& root, const std::string& path, const GraphOptions& options = {});

}  // namespace gradus
#pragma GCC visibility pop
