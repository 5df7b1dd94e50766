#include <gradus/error.hpp>
#include <gradus/plot/search_tree.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "drawing/drawing.hpp"
#include "text/join.hpp"
#include "text/number.hpp"
#include "text/unicode.hpp"

namespace gradus::plot {
namespace {

constexpr double kRow = 26, kBoxHeight = 20, kPadding = 7, kBetween = 19;
constexpr int kLongestNodeLabel = 16;  // in terminal columns
constexpr std::size_t kFates = 5;

void check(const SearchTree& tree) {
  const std::string where = "plot::svg(SearchTree '" + tree.title + "'): ";
  if (tree.nodes.empty()) throw Error(where + "no nodes; add at least one");
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const std::int64_t parent = tree.nodes[i].parent;
    if (parent >= -1 && parent < static_cast<std::int64_t>(i)) continue;
    throw Error(where + "the parent of node " + std::to_string(i) + " is " + std::to_string(parent) +
                ", but must be an earlier node, or -1 for a root");
  }
}

// The CSS classes for a fate.
struct Look {
  std::string_view name, box, edge, text;
};

const Look& look_of(Fate fate) {
  static constexpr std::array<Look, kFates> kLooks = {{
      {"kept", "gp-back gp-axis", "gp-axis", "gp-ink"},
      {"dropped", "", "gp-axis gp-dash1", "gp-ink"},
      {"ended", "gp-back gp-line gp-s2", "gp-line gp-s2", "gp-ink"},
      {"best", "gp-fill gp-s0", "gp-line gp-s0", "gp-back"},
      {"greedy", "gp-back gp-line gp-s1 gp-dash1", "gp-line gp-s1", "gp-ink"},
  }};
  return kLooks[static_cast<std::size_t>(fate)];
}

// Positions of the nodes. Each depth is a column. Rows are chosen so that branches do not cross.
struct TreeLayout {
  std::vector<std::size_t> depth;
  std::vector<double> row;
  double rows = 0;
  std::vector<double> left, box;  // left edge of each column, and the common width of its boxes

  explicit TreeLayout(const SearchTree& tree) : depth(tree.nodes.size()), row(tree.nodes.size()) {
    place_rows(tree.nodes);
    box.resize(*std::max_element(depth.begin(), depth.end()) + 1);
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      double& widest = box[depth[i]];
      widest = std::max(widest, std::ceil(width_of(tree.nodes[i])));
    }
    double x = kMargin;
    for (const double width : box) {
      left.push_back(x);
      x += width + kBetween;
    }
  }

  static std::string label_of(const TreeNode& node) { return shorten(node.label, kLongestNodeLabel); }

 private:
  static double width_of(const TreeNode& node) {
    const double note = node.note.empty() ? 0 : 2 * kPadding + text_width(node.note, kFont);
    return 2 * kPadding + text_width(label_of(node), kFont) + note;
  }

  // A node spans the rows of all leaves below it, and lies at the centre of these rows. A leaf spans one row.
  void place_rows(const std::vector<TreeNode>& nodes) {
    std::vector<double> leaves(nodes.size(), 0), next(nodes.size());  // next: the first free row for a child
    for (std::size_t i = nodes.size(); i-- > 0;) {
      leaves[i] = std::max(leaves[i], 1.0);
      if (nodes[i].parent >= 0) leaves[static_cast<std::size_t>(nodes[i].parent)] += leaves[i];
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const bool root = nodes[i].parent < 0;
      const auto parent = static_cast<std::size_t>(nodes[i].parent);
      double& top = root ? rows : next[parent];
      depth[i] = root ? 0 : depth[parent] + 1;
      next[i] = top;
      row[i] = top + leaves[i] / 2;
      top += leaves[i];
    }
  }
};

void draw_edge(Drawing& drawing, const Look& look, double x_1, double y_1, double x_2, double y_2) {
  const std::string middle = pixels((x_1 + x_2) / 2), from = pixels(y_1), to = pixels(y_2);
  drawing.path(look.edge, join("M", pixels(x_1), " ", from, "C", middle, " ", from, " ", middle, " ", to, " ",
                               pixels(x_2), " ", to));
}

void draw_node(Drawing& drawing, const TreeNode& node, double x, double y, double width) {
  const Look& look = look_of(node.fate);
  const std::string tooltip = node.note.empty() ? node.label : node.label + ": " + node.note;
  const Box box = {x, y - kBoxHeight / 2, width, kBoxHeight};
  if (!look.box.empty()) drawing.rect(look.box, box);
  drawing.text(look.text, x + kPadding, y + 4, TreeLayout::label_of(node));
  drawing.text(look.text, x + width - kPadding, y + 4, node.note, Anchor::end);
  drawing.rect("gp-hit", box, tooltip);
}

// Draws the key with its top left corner at (kMargin, top). Returns its right edge.
double draw_key(Drawing& drawing, const SearchTree& tree, double top) {
  double x = kMargin;
  for (std::size_t f = 0; f < kFates; ++f) {
    const auto fate = static_cast<Fate>(f);
    const auto has_it = [fate](const TreeNode& node) { return node.fate == fate; };
    if (std::none_of(tree.nodes.begin(), tree.nodes.end(), has_it)) continue;
    const Look& look = look_of(fate);
    const double width = 2 * kPadding + text_width(look.name, kFont);
    if (!look.box.empty()) drawing.rect(look.box, {x, top, width, kBoxHeight});
    drawing.text(look.text, x + kPadding, top + kBoxHeight / 2 + 4, look.name);
    x += width + 10;
  }
  return x;
}

}  // namespace

std::string svg(const SearchTree& tree) {
  check(tree);
  const TreeLayout at(tree);
  Drawing drawing;
  double top = kMargin;
  if (!tree.title.empty()) {
    drawing.text("gp-title", kMargin, top + kTitle - 2, tree.title);
    top += kTitle + 9;
  }
  const double key = draw_key(drawing, tree, top);
  top += kBoxHeight + 24;
  for (std::size_t d = 1; d < at.left.size(); ++d) {
    drawing.text("gp-muted", at.left[d] + kPadding, top - 6, join("step ", std::to_string(d)));
  }

  const auto x = [&](std::size_t i) { return at.left[at.depth[i]]; };
  const auto y = [&](std::size_t i) { return top + at.row[i] * kRow; };
  const auto width = [&](std::size_t i) { return at.box[at.depth[i]]; };
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    if (tree.nodes[i].parent < 0) continue;
    const auto parent = static_cast<std::size_t>(tree.nodes[i].parent);
    draw_edge(drawing, look_of(tree.nodes[i].fate), x(parent) + width(parent), y(parent), x(i), y(i));
  }
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) draw_node(drawing, tree.nodes[i], x(i), y(i), width(i));

  const double right = std::max({at.left.back() + at.box.back(), key, kMargin + title_width(tree.title)});
  return drawing.svg({0, 0, right + kMargin, top + at.rows * kRow + kMargin}, tree.title);
}

}  // namespace gradus::plot
