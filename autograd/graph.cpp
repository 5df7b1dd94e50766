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
constexpr std::size_t listed_names = 3;  // of those that were merged

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

// By pointer, to their places among the nodes.
using Index = std::unordered_map<const Node*, std::size_t>;

// The nodes behind the root, and itself: oldest first, so inputs before what was made of them.
std::vector<const Node*> nodes_behind(const Node& root, Index& index) {
  std::vector<const Node*> nodes{&root};
  index.emplace(&root, 0);
  for (std::size_t next = 0; next < nodes.size(); ++next) {
    check_not_freed(*nodes[next]);
    for (const NodePtr& input : nodes[next]->inputs) {
      if (input && index.emplace(input.get(), 0).second) nodes.push_back(input.get());
    }
  }
  std::sort(nodes.begin(), nodes.end(), [](const Node* a, const Node* b) { return a->number < b->number; });
  for (std::size_t i = 0; i < nodes.size(); ++i) index[nodes[i]] = i;
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
  std::vector<const Node*> nodes;  // the last is the root
  Index index;
  std::vector<Box> boxes;  // of the nodes
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
  Graph graph;
  graph.nodes = nodes_behind(root, graph.index);
  graph.names = by_node(names);
  graph.boxes.resize(graph.nodes.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = *graph.nodes[i];
    if (!node.leaf || &node == &root) graph.boxes[i] = node.scope;
    for (const NodePtr& input : node.inputs) {
      if (!input || !input->leaf) continue;
      Box& box = graph.boxes[graph.index.at(input.get())];
      box = box == nullptr ? node.scope : smallest_around(box, node.scope);
    }
  }
  const BoxesByPath by_path = boxes_by_path(graph.nodes);
  for (const auto& [node, name] : graph.names) {
    const auto found = graph.index.find(node);
    if (found != graph.index.end() && node->leaf) graph.boxes[found->second] = named_box(by_path, name);
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
  std::vector<Vertex> vertices;     // in the order of their first nodes
  std::vector<std::size_t> places;  // of the nodes among them
};

// Nodes with equal keys are drawn as one.
using Key = std::tuple<Box, std::string_view, const Node*>;

struct Apart {
  Key operator()(const Node* node, Box box) const { return {box, {}, node}; }
};

// One a box of at most `levels` levels; outside of all, one an operation.
struct Collapsed {
  std::size_t levels;
  bool merges_leaves;

  Key operator()(const Node* node, Box box) const {
    box = ancestor(box, levels);
    if (node->leaf && !merges_leaves) return {box, {}, node};
    return {box, box->parent == nullptr ? node->operation : "", nullptr};
  }
};

template <class KeyOf>
Picture picture_of(const Graph& graph, KeyOf key_of) {
  Picture picture;
  std::map<Key, std::size_t> places;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Key key = key_of(graph.nodes[i], graph.boxes[i]);
    const std::size_t place = places.try_emplace(key, picture.vertices.size()).first->second;
    if (place == picture.vertices.size()) picture.vertices.push_back({std::get<Box>(key), {}});
    picture.vertices[place].nodes.push_back(graph.nodes[i]);
    picture.places.push_back(place);
  }
  return picture;
}

// The most detailed picture of at most `most` nodes, or the smallest when all have more.
Picture collapse(const Graph& graph, std::size_t most) {
  std::size_t levels = 0;
  for (const Box box : graph.boxes) levels = std::max(levels, depth(box));
  std::optional<Picture> smallest;
  for (;; --levels) {
    for (const bool merges_leaves : {false, true}) {
      Picture picture = picture_of(graph, Collapsed{levels, merges_leaves});
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
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const std::size_t to = picture.places[i];
    for (const NodePtr& input : graph.nodes[i]->inputs) {
      if (!input) continue;
      const std::size_t from = picture.places[graph.index.at(input.get())];
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

// ---- Text, in Graphviz's HTML-like labels, where neither quotes nor braces mean anything. ----

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
      case '\\':
        result += "\\\\";
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
constexpr const char* leaf_colour = "#3f7d4e";
constexpr const char* detail_colour = "#6b7280";

std::string bold(std::string_view text) { return "<b>" + escaped(text) + "</b>"; }

// The spaces have the size of the title, and so give small print the same height of line.
std::string small(const char* colour, const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    result +=
        std::string("<br/> <font point-size=\"10\" color=\"") + colour + "\">" + escaped(line) + "</font> ";
  }
  return result;
}

// A line for each row of a matrix.
std::string rows(const Tensor& tensor) {
  std::string text = values_text(tensor);
  for (std::size_t at = 0; (at = text.find("], [", at)) != text.npos;) text.replace(at, 3, "],\n");
  return text;
}

// What the boxes around it do not say of a name.
std::string within(Box box, const std::string& name) {
  const std::string path = box->text() + ".";
  return box->parent != nullptr && name.starts_with(path) ? name.substr(path.size()) : name;
}

std::string title(const Graph& graph, const Node& node, Box box) {
  const auto found = graph.names.find(&node);
  if (found == graph.names.end()) return node.operation;
  return node.leaf ? within(box, found->second) : found->second + " = " + node.operation;
}

std::string text_of_one(const Graph& graph, const Node& node, Box box) {
  std::string text = bold(title(graph, node, box));
  std::string type = node.shape.rank() == 0 ? "" : node.shape.text();
  if (node.dtype != Dtype::f32) type += std::string(type.empty() ? "" : " ") + name(node.dtype);
  if (!type.empty()) text += small(detail_colour, type);
  if (node.value.defined()) text += small(value_colour, rows(node.value));
  if (node.gradient.defined() && node.gradient.numel() <= shown_elements)
    text += small(gradient_colour, "grad " + rows(node.gradient));
  return text;
}

// Names of things that were merged, each once.
class Listed {
 public:
  void add(std::string name) {
    ++count_;
    if (names_.size() <= listed_names && std::find(names_.begin(), names_.end(), name) == names_.end())
      names_.push_back(std::move(name));
  }

  std::size_t count() const { return count_; }
  bool of_one_kind() const { return names_.size() == 1; }

  std::string text() const {
    std::string result;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (i > 0) result += ", ";
      if (i == listed_names) return result + "…";
      result += names_[i];
    }
    return result;
  }

  std::string with_count() const { return count_ == 1 ? text() : text() + " ×" + std::to_string(count_); }

 private:
  std::vector<std::string> names_;  // one more than is shown, to know that there are more
  std::size_t count_ = 0;
};

std::string text_of_many(const Graph& graph, const Vertex& vertex) {
  Listed operations, leaves;
  for (const Node* node : vertex.nodes) {
    if (node->leaf) {
      leaves.add(title(graph, *node, vertex.box));
    } else {
      operations.add(node->operation);
    }
  }
  if (operations.count() == 0) return bold(leaves.with_count());
  std::string text = operations.of_one_kind() ? bold(operations.with_count())
                                              : bold(std::to_string(operations.count()) + " operations") +
                                                    small(detail_colour, operations.text());
  if (leaves.count() > 0) text += small(leaf_colour, leaves.text());
  return text;
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
constexpr const char* leaf_style = R"(, style=filled, fillcolor="#eef8ee", color="#6fae7c")";
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
         << (one ? text_of_one(graph_, *vertex.nodes.front(), vertex.box) : text_of_many(graph_, vertex))
         << '>';
    if (!one) {
      out_ << module_style;
    } else if (vertex.nodes.front()->leaf) {
      out_ << leaf_style;
    }
    if (number == picture_.places.back()) out_ << root_style;
    out_ << "]\n";
  }

  void write(const Edge& edge) {
    out_ << "  n" << edge.from << " -> n" << edge.to;
    // The shape is said where the node that it comes from does not say it.
    const bool shaped = picture_.vertices[edge.from].nodes.size() > 1 && edge.same_shape;
    std::string label = shaped ? edge.shape.text() : "";
    if (edge.count > 1) label += (shaped ? " ×" : "×") + std::to_string(edge.count);
    if (!label.empty()) out_ << " [label=\" " << label << "\"]";
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
  const Picture picture = collapses ? collapse(graph, options.max_nodes) : picture_of(graph, Apart{});
  return Writer(graph, picture).text(edges_of(graph, picture, collapses));
}

}  // namespace gradus
