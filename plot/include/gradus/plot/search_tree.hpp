#pragma once

#include <cstdint>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::plot {

/// What became of a hypothesis: it was kept to be continued, or was dropped, or ended; or it is on the way to
/// the one that was chosen.
enum class Fate { kept, dropped, ended, best };

/// A hypothesis of a search: the one that it continues, and by what.
struct TreeNode {
  std::int64_t parent = -1;  ///< its index, smaller than the node's own; -1 for a root
  std::string label{};       ///< the token that it adds
  std::string note{};        ///< a score, in small print behind it
  Fate fate = Fate::kept;
};

/// The course of a beam search.
struct SearchTree {
  std::string title{};
  std::vector<TreeNode> nodes{};
};

/// Draws `tree` as one SVG, from left to right, a column a step, with a key of the fates that occur. Children
/// stand below each other in the order of their indices.
///
/// Each fate is seen without its colour: what is kept has a box, what ended one with a thick edge, the best
/// a filled one; what was dropped has none. A node's tooltip is its label and note.
///
/// Throws Error if there is no node, or a parent is not an earlier node.
std::string svg(const SearchTree& tree);

}  // namespace gradus::plot
#pragma GCC visibility pop
