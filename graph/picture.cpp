#include "picture.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>

namespace gradus {
namespace {

std::size_t depth(Box box) {
  std::size_t result = 0;
  for (; box->parent != nullptr; box = box->parent) ++result;
  return result;
}

Box ancestor(Box box, std::size_t levels) {
  for (std::size_t i = depth(box); i > levels; --i) box = box->parent;
  return box;
}

Box smallest_around(Box a, Box b) {
  const std::size_t levels = std::min(depth(a), depth(b));
  a = ancestor(a, levels);
  b = ancestor(b, levels);
  while (a != b) {
    a = a->parent;
    b = b->parent;
  }
  return a;
}

// The module part of a name: "decoder.cell" for "decoder.cell.weight_ih". Empty if there is no dot.
std::string owner(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  return dot == name.npos ? "" : name.substr(0, dot);
}

struct Graph {
  const std::vector<Recorded>& nodes;
  std::vector<Box> boxes;  // the box of each node
};

using BoxesByPath = std::unordered_map<std::string, Box>;

BoxesByPath boxes_by_path(const std::vector<Recorded>& nodes) {
  std::unordered_set<Box> seen;
  BoxesByPath result;
  for (const Recorded& node : nodes) {
    for (Box box = node.scope; box != nullptr && seen.insert(box).second; box = box->parent)
      result.try_emplace(box->text(), box);
  }
  return result;
}

// The innermost existing box on the path of `name`.
Box named_box(const BoxesByPath& boxes, const std::string& name) {
  for (std::string path = owner(name);; path = owner(path)) {
    if (const auto found = boxes.find(path); found != boxes.end()) return found->second;
  }
}

Graph graph_of(const std::vector<Recorded>& nodes) {
  Graph graph{nodes, std::vector<Box>(nodes.size())};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Recorded& node = nodes[i];
    if (!node.is_leaf || i + 1 == nodes.size()) graph.boxes[i] = node.scope;
    for (const std::size_t input : node.inputs) {
      if (!nodes[input].is_leaf) continue;
      Box& box = graph.boxes[input];
      box = box == nullptr ? node.scope : smallest_around(box, node.scope);
    }
  }
  const BoxesByPath by_path = boxes_by_path(nodes);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].is_leaf && !nodes[i].name.empty()) graph.boxes[i] = named_box(by_path, nodes[i].name);
  }
  return graph;
}

using Places = std::vector<std::size_t>;  // the vertex of each node

struct Grouped {
  std::vector<Vertex> vertices;
  Places places;
};

// The key of a node in a grouping. Nodes with equal keys are merged into one vertex.
using Key = std::tuple<Box, std::string_view, const Recorded*>;

struct Apart {
  Key operator()(const Recorded* node, Box box) const { return {box, {}, node}; }
};

// Merges the nodes of each box. A box deeper than `levels` is merged into its ancestor at that depth. Outside
// all boxes, operations with the same name are merged. Leaves stay separate unless `merges_leaves`.
struct Collapsed {
  std::size_t levels;
  bool merges_leaves;

  Key operator()(const Recorded* node, Box box) const {
    box = ancestor(box, levels);
    if (node->is_leaf && !merges_leaves) return {box, {}, node};
    return {box, box->parent == nullptr ? node->operation : "", nullptr};
  }
};

template <class KeyOf>
Grouped group(const Graph& graph, KeyOf key_of) {
  Grouped result;
  std::map<Key, std::size_t> found;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Key key = key_of(&graph.nodes[i], graph.boxes[i]);
    const std::size_t place = found.try_emplace(key, result.vertices.size()).first->second;
    if (place == result.vertices.size()) result.vertices.push_back({std::get<Box>(key), {}});
    result.vertices[place].nodes.push_back(&graph.nodes[i]);
    result.places.push_back(place);
  }
  return result;
}

// The most detailed grouping with at most `most` vertices. If every grouping has more vertices, returns the
// grouping with the fewest.
Grouped collapse(const Graph& graph, std::size_t most) {
  std::size_t levels = 0;
  for (const Box box : graph.boxes) levels = std::max(levels, depth(box));
  std::optional<Grouped> smallest;
  for (;; --levels) {
    for (const bool merges_leaves : {false, true}) {
      Grouped grouped = group(graph, Collapsed{levels, merges_leaves});
      if (grouped.vertices.size() <= most) return grouped;
      if (!smallest || grouped.vertices.size() < smallest->vertices.size()) smallest = std::move(grouped);
    }
    if (levels == 0) return *std::move(smallest);
  }
}

// The edges between different vertices.
std::vector<Edge> edges_between(const Graph& graph, const Places& places, bool merges) {
  std::vector<Edge> edges;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> found;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const std::size_t to = places[i];
    for (const std::size_t input : graph.nodes[i].inputs) {
      const std::size_t from = places[input];
      if (from == to) continue;
      const auto [place, added] = found.try_emplace({from, to}, edges.size());
      if (added || !merges) {
        edges.push_back({from, to, graph.nodes[input].shape});
        continue;
      }
      Edge& edge = edges[place->second];
      ++edge.count;
      edge.same_shape = edge.same_shape && edge.shape == graph.nodes[input].shape;
    }
  }
  return edges;
}

}  // namespace

Picture picture_of(const std::vector<Recorded>& nodes, std::size_t max_nodes) {
  const Graph graph = graph_of(nodes);
  const bool collapses = nodes.size() > max_nodes;
  Grouped grouped = collapses ? collapse(graph, max_nodes) : group(graph, Apart{});
  Picture picture;
  picture.edges = edges_between(graph, grouped.places, collapses);
  picture.root = grouped.places.back();
  picture.vertices = std::move(grouped.vertices);
  return picture;
}

}  // namespace gradus
