#pragma once

#include <gradus/autograd/tensor.hpp>

#include <cstddef>
#include <string>

#pragma GCC visibility push(default)
/// Pictures of the tape: what a tensor was computed from, as Graphviz draws it.
///
///     save_graph(loss, "loss.svg", {model.named_parameters()});
namespace gradus {

struct GraphOptions {
  NamedTensors names = {};      ///< what tensors are called: module.named_parameters(), or any
  std::size_t max_nodes = 100;  ///< a larger graph is drawn with its modules collapsed
};

/// Everything that `root` was computed from, in Graphviz's DOT. Each operation and each leaf is a node with
/// its name, shape, dtype when that is not f32, and, up to 8 elements, its values and the gradient that it
/// holds (leaves after backward(), results after retain_grad()). Edges run from inputs to results; an input
/// that is used twice has two. The root has a thick border. Modules are boxes within boxes; a leaf is in the
/// box that its name says, and one without a name in the smallest that holds its uses. Constants are not on
/// the tape, and so not in the picture.
///
/// Of a graph of more than `max_nodes`, the operations of a module are merged into one node, those of all
/// steps together, and those outside any module by their names. The innermost modules are merged into the
/// ones around them as far as it takes to come down to `max_nodes`, and leaves into the modules that use them
/// where they do not fit. Edges between the same two nodes are then one, with their number.
///
/// The text depends on the graph alone: it is the same at every call.
/// @throws Error when `root` was not recorded, or its tape was freed by an earlier backward().
std::string draw_graph(const Tensor& root, const GraphOptions& options = {});

/// Writes draw_graph() to a file: as it is to a `.dot`, and drawn to an `.svg` by the program `dot` of
/// Graphviz, which must be on the PATH. The file appears whole or not at all.
/// @throws Error as draw_graph() does; for another extension, a path that cannot be written, and when `dot`
/// is missing or fails.
void save_graph(const Tensor& root, const std::string& path, const GraphOptions& options = {});

}  // namespace gradus
#pragma GCC visibility pop
