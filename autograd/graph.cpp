#include <gradus/autograd/graph.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "node.hpp"
#include "print.hpp"
#include "storage.hpp"

namespace gradus {
namespace {

constexpr std::int64_t shown_elements = 8;
constexpr std::size_t shown_operations = 4;  // by name, of those that were merged

using Names = std::unordered_map<const Node*, std::string>;

Names by_node(const NamedTensors& names) {
  Names result;
  for (const auto& [name, tensor] : names) {
    if (tensor.defined() && tensor.requires_grad() && !name.empty())
      result.try_emplace(tensor.impl().node.get(), name);
  }
  return result;
}

void check_not_freed(const Node& node) {
  if (!node.freed) return;
  fail("draw_graph", "the tape of ", node.text(),
       " was freed by an earlier backward(); draw before backward(), or call it with retain_graph = true");
}

// Oldest first, so inputs before what was made of them.
std::vector<const Node*> nodes_behind(const Node& root) {
  std::vector<const Node*> nodes{&root};
  std::unordered_set<const Node*> found{&root};
  for (std::size_t next = 0; next < nodes.size(); ++next) {
    check_not_freed(*nodes[next]);
    for (const NodePtr& input : nodes[next]->inputs) {
      if (input && found.insert(input.get()).second) nodes.push_back(input.get());
    }
  }
  std::sort(nodes.begin(), nodes.end(), [](const Node* a, const Node* b) { return a->number < b->number; });
  return nodes;
}

// ---- Boxes: every module path is one, and all are in that of the empty path. ----

using Box = const ScopePath*;

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

// "decoder.cell" of "decoder.cell.weight_ih"; empty when there is no dot.
std::string owner(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  return dot == name.npos ? "" : name.substr(0, dot);
}

struct Graph {
  std::vector<const Node*> nodes;
  std::unordered_map<const Node*, Box> boxes;
  const Node* root;
  Names names;
};

using BoxesByPath = std::unordered_map<std::string, Box>;

BoxesByPath boxes_by_path(const std::vector<const Node*>& nodes) {
  std::unordered_set<Box> seen;
  BoxesByPath result;
  for (const Node* node : nodes) {
    for (Box box = node->scope; box != nullptr && seen.insert(box).second; box = box->parent)
      result.try_emplace(box->text(), box);
  }
  return result;
}

// The smallest box on the path that the name begins with.
Box named_box(const BoxesByPath& boxes, const std::string& name) {
  for (std::string path = owner(name);; path = owner(path)) {
    if (const auto found = boxes.find(path); found != boxes.end()) return found->second;
  }
}

Graph graph_of(const Node& root, const NamedTensors& names) {
  Graph graph{nodes_behind(root), {}, &root, by_node(names)};
  for (const Node* node : graph.nodes) {
    if (node->leaf) continue;
    graph.boxes[node] = node->scope;
    for (const NodePtr& input : node->inputs) {
      if (!input || !input->leaf) continue;
      Box& box = graph.boxes.try_emplace(input.get(), node->scope).first->second;
      box = smallest_around(box, node->scope);
    }
  }
  graph.boxes.try_emplace(&root, root.scope);  // a lone leaf
  const BoxesByPath by_path = boxes_by_path(graph.nodes);
  for (const auto& [node, name] : graph.names) {
    if (const auto found = graph.boxes.find(node); found != graph.boxes.end() && node->leaf)
      found->second = named_box(by_path, name);
  }
  return graph;
}

// ---- What is drawn as one. ----

struct Vertex {
  Box box;
  std::vector<const Node*> nodes;
};

struct Edge {
  std::size_t from, to;
  Shape shape;
  std::size_t count = 1;
  bool same_shape = true;
};

struct Picture {
  std::vector<Vertex> vertices;  // in the order of their first nodes
  std::unordered_map<const Node*, std::size_t> place;
};

// Nodes with equal keys are drawn as one.
using Key = std::tuple<Box, std::string_view, const Node*>;

struct Apart {
  const Graph& graph;
  Key operator()(const Node* node) const { return {graph.boxes.at(node), {}, node}; }
};

// One a box of at most `levels` levels; outside of all, one an operation.
struct Collapsed {
  const Graph& graph;
  std::size_t levels;
  bool merges_leaves;

  Key operator()(const Node* node) const {
    const Box box = ancestor(graph.boxes.at(node), levels);
    if (node->leaf && !merges_leaves) return {box, {}, node};
    return {box, box->parent == nullptr ? node->operation : "", nullptr};
  }
};

template <class KeyOf>
Picture picture_of(const Graph& graph, KeyOf key_of) {
  Picture picture;
  std::map<Key, std::size_t> places;
  picture.place.reserve(graph.nodes.size());
  for (const Node* node : graph.nodes) {
    const Key key = key_of(node);
    const std::size_t place = places.try_emplace(key, picture.vertices.size()).first->second;
    if (place == picture.vertices.size()) picture.vertices.push_back({std::get<Box>(key), {}});
    picture.vertices[place].nodes.push_back(node);
    picture.place[node] = place;
  }
  return picture;
}

// The most detailed picture of at most `most` nodes, or the smallest when all have more.
Picture collapse(const Graph& graph, std::size_t most) {
  std::size_t levels = 0;
  for (const auto& [node, box] : graph.boxes) levels = std::max(levels, depth(box));
  std::optional<Picture> smallest;
  for (;; --levels) {
    for (const bool merges_leaves : {false, true}) {
      Picture picture = picture_of(graph, Collapsed{graph, levels, merges_leaves});
      if (picture.vertices.size() <= most) return picture;
      if (!smallest || picture.vertices.size() < smallest->vertices.size()) smallest = std::move(picture);
    }
    if (levels == 0) return *std::move(smallest);
  }
}

// In the order of the operations and of their inputs. Inside a vertex there are none.
std::vector<Edge> edges_of(const Graph& graph, const Picture& picture, bool merges) {
  std::vector<Edge> edges;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> places;
  for (const Node* node : graph.nodes) {
    const std::size_t to = picture.place.at(node);
    for (const NodePtr& input : node->inputs) {
      if (!input) continue;
      const std::size_t from = picture.place.at(input.get());
      if (from == to) continue;
      const auto [place, added] = places.try_emplace({from, to}, edges.size());
      if (added || !merges) {
        edges.push_back({from, to, input->shape});
        continue;
      }
      Edge& edge = edges[place->second];
      ++edge.count;
      edge.same_shape = edge.same_shape && edge.shape == input->shape;
    }
  }
  return edges;
}

// ---- Text, in Graphviz's HTML-like labels, where neither quotes, backslashes nor braces mean anything. ----

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '\n':
        result += "<br/>";
        break;
      default:
        result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return result;
}

constexpr const char* value_colour = "#2b6cb0";
constexpr const char* gradient_colour = "#b7562a";
constexpr const char* detail_colour = "#6b7280";

std::string bold(std::string_view text) { return "<b>" + escaped(text) + "</b>"; }

std::string line(const char* colour, std::string_view text) {
  return std::string("<br/><font point-size=\"10\" color=\"") + colour + "\">" + escaped(text) + "</font>";
}

// A line for each row of a matrix.
std::string rows(const Tensor& tensor) {
  std::string text = values_text(tensor);
  for (std::size_t at = 0; (at = text.find("], [", at)) != text.npos;) text.replace(at, 3, "],\n");
  return text;
}

std::string title(const Graph& graph, const Vertex& vertex) {
  const Node& node = *vertex.nodes.front();
  const auto found = graph.names.find(&node);
  if (found == graph.names.end()) return node.operation;
  if (!node.leaf) return found->second + " = " + node.operation;
  // Without the path that the boxes around it say.
  const std::string box = vertex.box->text() + ".";
  return found->second.starts_with(box) ? found->second.substr(box.size()) : found->second;
}

std::string text_of_one(const Graph& graph, const Vertex& vertex) {
  const Node& node = *vertex.nodes.front();
  std::string text = bold(title(graph, vertex));
  std::string type = node.shape.rank() == 0 ? "" : node.shape.text();
  if (node.dtype != Dtype::f32) type += std::string(type.empty() ? "" : " ") + name(node.dtype);
  if (!type.empty()) text += line(detail_colour, type);
  if (node.value.defined()) text += line(value_colour, rows(node.value));
  if (node.gradient.defined() && node.gradient.numel() <= shown_elements)
    text += line(gradient_colour, "grad " + rows(node.gradient));
  return text;
}

std::string counted(std::size_t n, std::string_view what) {
  return std::to_string(n) + " " + std::string(what) + (n == 1 ? "" : "s");
}

std::string text_of_many(const Vertex& vertex) {
  std::vector<std::string_view> operations;  // in the order of their first use
  std::size_t leaves = 0;
  for (const Node* node : vertex.nodes) {
    if (node->leaf) {
      ++leaves;
    } else if (std::find(operations.begin(), operations.end(), node->operation) == operations.end()) {
      operations.push_back(node->operation);
    }
  }
  if (operations.empty()) return bold(counted(leaves, "leaf"));
  const std::size_t count = vertex.nodes.size() - leaves;
  std::string text;
  if (operations.size() == 1) {
    text = bold(std::string(operations[0]) + " ×" + std::to_string(count));
  } else {
    text = bold(counted(count, "operation"));
    std::string listed;
    for (std::size_t i = 0; i < std::min(operations.size(), shown_operations); ++i)
      listed += (i == 0 ? "" : ", ") + std::string(operations[i]);
    text += line(detail_colour, listed + (operations.size() > shown_operations ? ", …" : ""));
  }
  return text + (leaves == 0 ? "" : line(detail_colour, counted(leaves, "leaf")));
}

// ---- DOT ----

// Colours for light and dark pages alike: nodes bring their own background, lines and words on the page are a
// middle grey.
constexpr const char* header =
    R"(digraph gradus {
  graph [rankdir=TB, bgcolor=transparent, nodesep=0.3, ranksep=0.4, style=rounded, color="#94a3b8", penwidth=0.8, labeljust=l, fontname="Helvetica,Arial,sans-serif", fontsize=12, fontcolor="#7c8798"]
  node [shape=box, style="rounded,filled", fillcolor=white, color="#7c9cc4", penwidth=0.8, margin="0.14,0.08", height=0.3, fontname="Helvetica,Arial,sans-serif", fontsize=12, fontcolor="#1f2933"]
  edge [color="#8b98a9", penwidth=0.8, arrowsize=0.6, fontname="Helvetica,Arial,sans-serif", fontsize=10, fontcolor="#7c8798"]
)";
constexpr const char* leaf_style =
    R"(, shape=ellipse, style=filled, fillcolor="#eef8ee", color="#6fae7c", margin="0.06,0.03")";
constexpr const char* module_style = R"(, fillcolor="#eef3fb")";
constexpr const char* root_style = R"(, penwidth=2.2)";

class Writer {
 public:
  Writer(const Graph& graph, const Picture& picture) : graph_(graph), picture_(picture) {
    for (std::size_t i = 0; i < picture.vertices.size(); ++i)
      contents(picture.vertices[i].box).vertices.push_back(i);
  }

  std::string text(const std::vector<Edge>& edges) {
    out_ << header;
    write_contents(ancestor(picture_.vertices.front().box, 0), "  ");
    for (const Edge& edge : edges) write(edge);
    out_ << "}\n";
    return out_.str();
  }

 private:
  struct Contents {
    std::vector<std::size_t> vertices;
    std::vector<Box> boxes;
  };

  // Makes the boxes around a new one too.
  Contents& contents(Box box) {
    const auto [place, added] = contents_.try_emplace(box);
    if (added && box->parent != nullptr) contents(box->parent).boxes.push_back(box);
    return place->second;
  }

  void write_contents(Box box, const std::string& indent) {
    for (const std::size_t vertex : contents_[box].vertices) write(vertex, indent);
    for (const Box inner : contents_[box].boxes) {
      out_ << indent << "subgraph cluster_" << clusters_++ << " {\n"
           << indent << "  label=<" << escaped(inner->name) << ">\n";
      write_contents(inner, indent + "  ");
      out_ << indent << "}\n";
    }
  }

  void write(std::size_t number, const std::string& indent) {
    const Vertex& vertex = picture_.vertices[number];
    const bool one = vertex.nodes.size() == 1;
    out_ << indent << 'n' << number << " [label=<"
         << (one ? text_of_one(graph_, vertex) : text_of_many(vertex)) << '>';
    if (!one) {
      out_ << module_style;
    } else if (vertex.nodes.front()->leaf) {
      out_ << leaf_style;
    }
    if (number == picture_.place.at(graph_.root)) out_ << root_style;
    out_ << "]\n";
  }

  void write(const Edge& edge) {
    out_ << "  n" << edge.from << " -> n" << edge.to;
    // The shape is said where the node that it comes from does not say it.
    const bool shaped = picture_.vertices[edge.from].nodes.size() > 1 && edge.same_shape;
    std::string label = shaped ? edge.shape.text() : "";
    if (edge.count > 1) label += (shaped ? " ×" : "×") + std::to_string(edge.count);
    if (!label.empty()) out_ << " [label=\"" << label << "\"]";
    out_ << '\n';
  }

  const Graph& graph_;
  const Picture& picture_;
  std::map<Box, Contents> contents_;
  std::ostringstream out_;
  int clusters_ = 0;
};

}  // namespace

std::string draw_graph(const Tensor& root, const GraphOptions& options) {
  if (!root.requires_grad()) {
    fail("draw_graph", "this tensor ", root.shape(),
         " was not recorded: no input has requires_grad, or NoGrad is on");
  }
  const Graph graph = graph_of(*root.impl().node, options.names);
  const bool collapses = graph.nodes.size() > options.max_nodes;
  const Picture picture = collapses ? collapse(graph, options.max_nodes) : picture_of(graph, Apart{graph});
  return Writer(graph, picture).text(edges_of(graph, picture, collapses));
}

}  // namespace gradus
