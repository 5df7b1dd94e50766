#pragma once

#include <cstdint>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::plot {

/// The fate of a hypothesis: kept for the next step, dropped, ended in EOS, part of the best hypothesis, or
/// part of the output of greedy decoding.
enum class Fate { kept, dropped, ended, best, greedy };

/// A hypothesis of a search: its parent hypothesis, and the token that it adds to the parent.
struct TreeNode {
  std::int64_t parent = -1;  ///< index of the parent, smaller than the node's own; -1 for a root
  std::string label{};       ///< the added token
  std::string note{};        ///< a score, after the label
  Fate fate = Fate::kept;
};

/// All hypotheses of a beam search.
struct SearchTree {
  std::string title{};
  std::vector<TreeNode> nodes{};
};

/// Draws `tree` as one SVG from left to right, with one column per step and a key of the fates that occur.
/// Siblings appear in the order of their indices, from top to bottom.
///
/// Fates can be distinguished without colour: a kept node has a box, an ended node has a thick border, a
/// greedy node has a dashed border, the nodes of the best hypothesis are filled, and a dropped node has no
/// box. The tooltip of a node shows the node's label and note.
///
/// Throws Error if there are no nodes, or if the parent of a node does not come before the node.
std::string svg(const SearchTree& tree);

}  // namespace gradus::plot
#pragma GCC visibility pop
